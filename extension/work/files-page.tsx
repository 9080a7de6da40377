// The files of the draft: what differs from its commit is marked, and any of them opens in the editor.

import { useMemo, useState } from "preact/hooks";
import { displayName } from "../../src/shared/odd-name.ts";
import type { FileList, OpenRepository } from "../../src/web/api-work.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { useRem } from "../../ui/media.ts";
import { Problem } from "../../ui/problem.tsx";
import { useResource } from "../../ui/resource.ts";
import { goTo } from "../../ui/route.ts";
import { shown, T } from "../../ui/text.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { StorageLine, StorageWarning } from "./storage-line.tsx";
import { useUnsavedPaths } from "./unsaved.ts";
import { workCalls } from "./work-calls.ts";
import { linkToWork } from "./work-route.ts";
import { useDraft, useDraftVersion, useWork } from "./work-state.ts";

const ROW_REM = 2.25;

type Change = "added" | "modified" | "removed" | null;

interface Row {
  readonly path: string;
  readonly change: Change;
}

const marks = {
  added: { mark: "+", name: "new", style: "is-create" },
  modified: { mark: "M", name: "changed", style: "is-update" },
  removed: { mark: "−", name: "deleted", style: "is-delete" },
} as const;

/** What was on the screen when the person left the list. */
const last = { filter: "", isChangedOnly: false };

export function FilesPage() {
  const draft = useDraft();
  const { value, error } = useResource<FileList>("/api/work/files", useDraftVersion());
  const unsaved = useUnsavedPaths(draft.session);
  const [filter, setFilter] = useState(last.filter);
  const [isChangedOnly, setIsChangedOnly] = useState(last.isChangedOnly);
  const rem = useRem();
  Object.assign(last, { filter, isChangedOnly });
  const rows = useMemo(() => (value === null ? [] : rowsOf(value)), [value]);
  const found = useMemo(() => {
    const words = filter
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    return rows.filter(
      ({ path, change }) =>
        words.every((word) => path.toLowerCase().includes(word)) &&
        (!isChangedOnly || change !== null || unsaved.has(path)),
    );
  }, [rows, filter, isChangedOnly, unsaved]);
  return (
    <>
      <DraftHead draft={draft} unsaved={unsaved.size} />
      <StorageWarning />
      {error !== null && <Problem error={error} />}
      <p class="files-ways">
        <a href={linkToWork.search()}>Search in files</a>
        <a href={linkToWork.run()}>Run</a>
      </p>
      <div class="files-bar">
        <input
          class="field"
          type="search"
          aria-label="Filter by name"
          placeholder="Filter by name"
          value={filter}
          spellcheck={false}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <label class="files-only">
          <input
            type="checkbox"
            checked={isChangedOnly}
            onChange={(event) => setIsChangedOnly(event.currentTarget.checked)}
          />{" "}
          Changed only
        </label>
        <NewFile paths={rows} />
      </div>
      <p class="quiet files-count" role="status">
        {value === null ? "Loading…" : countText(found.length, rows.length)}
      </p>
      {found.length > 0 && (
        <VirtualList
          class="panel files-list"
          count={found.length}
          rowHeight={ROW_REM * rem}
          label="Files"
          keyOf={(index) => (found[index] as Row).path}
          renderRow={(index) => (
            <FileRow row={found[index] as Row} isUnsaved={unsaved.has((found[index] as Row).path)} />
          )}
        />
      )}
      <StorageLine />
    </>
  );
}

function rowsOf({ files, removed }: FileList): readonly Row[] {
  if (removed.length === 0) return files;
  const all = [...files, ...removed.map((path): Row => ({ path, change: "removed" }))];
  return all.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function countText(found: number, all: number): string {
  const files = (count: number) => (count === 1 ? "1 file" : `${count} files`);
  return found === all ? files(all) : `${found} of ${files(all)}`;
}

interface HeadProps {
  readonly draft: OpenRepository;
  readonly unsaved: number;
}

function DraftHead({ draft: { repository, branch, commit, changed }, unsaved }: HeadProps) {
  const [isAsking, setIsAsking] = useState(false);
  const { agent } = useWork();
  const loses = [
    ...(changed > 0 ? [changed === 1 ? "1 changed file" : `${changed} changed files`] : []),
    ...(unsaved > 0 ? [unsaved === 1 ? "edits of 1 file" : `edits of ${unsaved} files`] : []),
  ];
  return (
    <div class="draft-head">
      <div>
        <h1>
          <T text={repository} maxLength={300} />
        </h1>
        <p class="quiet draft-facts">
          <span class="mono">
            <T text={branch} maxLength={300} />
          </span>{" "}
          at{" "}
          <span class="mono">
            <T text={commit.slice(0, 10)} />
          </span>
        </p>
      </div>
      <button class="button is-small" type="button" onClick={() => setIsAsking(true)}>
        Discard…
      </button>
      {isAsking && (
        <Confirm
          title="Discard this draft?"
          yes="Discard"
          act={workCalls.discard}
          onDone={() => goTo(linkToWork.files())}
          onClose={() => setIsAsking(false)}
        >
          <p>
            {loses.length === 0
              ? "Nothing in it has changed. Then you can open another repository."
              : `It has ${loses.join(" and ")}. What was not pushed is lost.`}
            {agent?.isRunning === true && " The agent, which is working, stops."}
          </p>
        </Confirm>
      )}
    </div>
  );
}

function FileRow({ row: { path, change }, isUnsaved }: { readonly row: Row; readonly isUnsaved: boolean }) {
  const at = path.lastIndexOf("/") + 1;
  const name = (
    <>
      <span class="files-name">
        <T text={displayName(path.slice(at))} maxLength={400} />
      </span>{" "}
      {at > 0 && (
        <span class="files-directory quiet">
          <T text={displayName(path.slice(0, at - 1))} maxLength={400} />
        </span>
      )}
    </>
  );
  return (
    <div class="files-row">
      <span class={`file-mark ${change === null ? "" : marks[change].style}`}>
        {change !== null && (
          <>
            <span aria-hidden="true">{marks[change].mark}</span>
            <span class="said">{marks[change].name}</span>
          </>
        )}
      </span>
      {change === "removed" ? (
        <span class="files-path is-removed" title={shown(path, { maxLength: 2_000 })}>
          {name}
        </span>
      ) : (
        <a class="files-path" href={linkToWork.file(path)} title={shown(path, { maxLength: 2_000 })} data-row-focus>
          {name}
        </a>
      )}
      {isUnsaved && <span class="badge is-medium">not saved</span>}
    </div>
  );
}

function NewFile({ paths }: { readonly paths: readonly Row[] }) {
  const [path, setPath] = useState<string | null>(null);
  if (path === null)
    return (
      <button class="button is-small" type="button" onClick={() => setPath("")}>
        New file…
      </button>
    );
  const isThere = paths.some((row) => row.path === path.trim() && row.change !== "removed");
  const submit = (event: Event) => {
    event.preventDefault();
    if (path.trim() !== "") goTo(linkToWork.file(path.trim()));
  };
  return (
    <form class="files-new" onSubmit={submit}>
      <input
        class="field mono"
        aria-label="Path of the new file"
        placeholder="docs/notes.md"
        value={path}
        required
        maxLength={1_000}
        spellcheck={false}
        autocomplete="off"
        ref={focusOnce}
        onInput={(event) => setPath(event.currentTarget.value)}
      />
      <button class="button is-small is-main" type="submit">
        {isThere ? "Open" : "Create"}
      </button>
      <button class="button is-small is-plain" type="button" onClick={() => setPath(null)}>
        Cancel
      </button>
    </form>
  );
}

function focusOnce(field: HTMLInputElement | null): void {
  field?.focus();
}
