// The files of a push or of a staged commit: a list with counts, and the diff view, which is loaded when it is needed.

import { commitText, sinceNames } from "../../src/action/diff-facts.ts";
import { useEffect, useRef } from "preact/hooks";
import type { ContextLines, FileHunks, FileView } from "../../src/web/api.ts";
import { get, getBlob } from "../client.ts";
import type { LinePlace } from "./comment-dialog.tsx";
import { lazy } from "../lazy.tsx";
import { useMedia } from "../media.ts";
import { displayName } from "../../src/shared/odd-name.ts";
import { shown, T } from "../text.tsx";

const DiffView = lazy(async () => (await import("../diff/diff-view.tsx")).DiffView);

export interface ChangesProps {
  /** The address of the files: `/api/questions/ID` or `/api/staged/ID`. */
  readonly at: string;
  readonly files: readonly FileView[];
  readonly seen: ReadonlySet<number>;
  readonly onSeen: (n: number) => void;
  /** Called for a line that the reviewer wants to comment on. Absent where nobody would get a comment. */
  readonly onComment?: (place: LinePlace) => void;
}

export function Changes({ at, files, seen, onSeen, onComment }: ChangesProps) {
  const source = useRef({ at, onSeen, onComment });
  useEffect(() => {
    source.current = { at, onSeen, onComment };
  });
  // These functions stay the same across renders, so that the diff view does not start again.
  const calls = useRef({
    load: (n: number) => get<FileHunks>(`${source.current.at}/files/${n}`),
    context: (n: number, from: number, to: number) =>
      get<ContextLines>(`${source.current.at}/files/${n}/lines?from=${from}&to=${to}`),
    picture: (n: number, side: "before" | "after") => getBlob(`${source.current.at}/files/${n}/${side}`),
    onSeen: (n: number) => source.current.onSeen(n),
    ...(onComment === undefined ? {} : { onComment: (place: LinePlace) => source.current.onComment?.(place) }),
  });
  const jump = useRef<((n: number) => void) | null>(null);
  // A file that the reviewer chose before the diff view was loaded.
  const chosen = useRef<number | null>(null);
  const open = (n: number) => {
    if (jump.current === null) chosen.current = n;
    else jump.current(n);
  };
  return (
    <section class="changes" aria-labelledby="changes-title">
      <FileList files={files} seen={seen} onOpen={open} />
      <DiffView files={files} jump={jump} chosen={chosen} {...calls.current} />
    </section>
  );
}

interface FileListProps extends Pick<ChangesProps, "files" | "seen"> {
  readonly onOpen: (n: number) => void;
}

function FileList({ files, seen, onOpen }: FileListProps) {
  const isNarrow = useMedia("(max-width: 40rem)");
  const whole = files.filter(({ part }) => (part?.at ?? 0) === 0).length;
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return (
    <details class="panel file-list" open={!isNarrow}>
      <summary class="panel-title">
        <h2 id="changes-title">{whole === 1 ? "1 file" : `${whole} files`}</h2>{" "}
        <Counts added={added} removed={removed} />
        <span class="quiet file-seen">{lookedAt(seen.size, files)}</span>
      </summary>
      <ul class="list file-rows" aria-label="Files">
        {files.map((file, n) => (
          <li key={n} class={`file-row${seen.has(n) ? "" : " is-unseen"}`}>
            <span class={`file-mark is-${file.operation}`} title={operations[file.operation].name}>
              <span aria-hidden="true">{operations[file.operation].mark}</span>
              <span class="said">{operations[file.operation].name}</span>
            </span>
            <button type="button" class="mono file-path" onClick={() => onOpen(n)}>
              {file.operation === "rename" && (
                <>
                  <T text={displayName(file.oldPath)} maxLength={1_000} /> →{" "}
                </>
              )}
              <T text={displayName(file.path)} maxLength={1_000} />
              {file.commit !== undefined && `, ${commitText(file.commit)}`}
              {file.since !== undefined && `, ${sinceNames[file.since]}`}
              {file.part !== undefined && `, part ${file.part.at + 1} of ${file.part.of}`}
            </button>
            {file.isBinary && <span class="quiet">not text</span>}
            {(file.lines > 0 || !file.isBinary) && <Counts added={file.added} removed={file.removed} />}
            <span class="file-state quiet">{seen.has(n) ? "looked at" : "not looked at"}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

const operations = {
  create: { mark: "+", name: "new" },
  update: { mark: "M", name: "changed" },
  delete: { mark: "−", name: "deleted" },
  rename: { mark: "R", name: "renamed" },
} as const;

function Counts({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span class="counts">
      <span class="is-added">+{added}</span> <span class="is-removed">−{removed}</span>
    </span>
  );
}

function lookedAt(seen: number, files: readonly FileView[]): string {
  const word = files.some(({ part }) => part !== undefined) ? "files and parts of files" : "files";
  return `${seen} of ${files.length} ${files.length === 1 ? "file" : word} looked at`;
}

const NAMED = 5;

/** What is said beside the answer: how much was looked at, and the first files that were not. Safe to display. */
export function unseenText(files: readonly FileView[], seen: ReadonlySet<number>): string {
  const unseen = files.filter((_, n) => !seen.has(n));
  const names = [...new Set(unseen.map(({ path }) => shown(displayName(path), { maxLength: 120 })))];
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `${lookedAt(seen.size, files)}. Not looked at to the end: ${names.slice(0, NAMED).join(", ")}${more}.`;
}
