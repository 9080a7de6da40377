// One file of a diff: what happens to it, and its lines or a note in their place.

import {
  encodingNotes,
  exactSize,
  groupDigits,
  modeText,
  operationNames,
  commitText,
  partText,
  sinceNames,
  sizeChange,
  sizeText,
} from "../../src/action/diff-facts.ts";
import { displayName } from "../../src/shared/odd-name.ts";
import type { FileView } from "../../src/web/api.ts";
import { shown, T } from "../text.tsx";
import type { DiffState } from "./diff-state.ts";
import { FilePanes, type FilePanesProps } from "./file-panes.tsx";
import type { Unseen } from "./seen-files.ts";
import { PictureView, type PictureViewProps } from "./picture-view.tsx";

export interface FileSectionProps extends FilePanesProps {
  readonly top: number;
  readonly height: number;
  readonly picture: PictureViewProps["picture"];
  /** Why the file does not count as seen although the reviewer scrolled past it. `showUnseen` scrolls to the unseen part. */
  readonly unseen: Unseen | null;
  readonly showUnseen: () => void;
}

export function FileSection(props: FileSectionProps) {
  const { state, n, top, height, picture, unseen, showUnseen } = props;
  const file = state.files[n] as FileView;
  const isFolded = state.isFolded(n);
  return (
    <section
      class={`diff-file${isFolded ? " is-folded" : ""}`}
      data-file={n}
      aria-label={`${operationNames[file.operation]}: ${shown(displayName(file.path), { maxLength: 300 })}`}
      style={{ top: `${top}px`, height: `${height}px` }}
    >
      <FileHeader {...{ state, n, file, isFolded, unseen, showUnseen }} />
      {!isFolded && (
        <div class="diff-body">
          {file.isPicture && (
            <PictureView
              n={n}
              file={file}
              picture={picture}
              onShown={(side) => side === "after" && state.pictureShown(n)}
            />
          )}
          <Note state={state} n={n} file={file} />
          {file.lines > 0 && <Lines {...props} />}
        </div>
      )}
    </section>
  );
}

interface PartProps {
  readonly state: DiffState;
  readonly n: number;
  readonly file: FileView;
}

interface HeaderProps extends PartProps, Pick<FileSectionProps, "unseen" | "showUnseen"> {
  readonly isFolded: boolean;
}

function FileHeader({ state, n, file, isFolded, unseen, showUnseen }: HeaderProps) {
  const isTyped = file.lines > 0 || (!file.isBinary && !file.isTooLarge);
  const modes = [file.oldMode, file.newMode];
  return (
    <header class="diff-header">
      <button
        type="button"
        class="diff-fold"
        aria-expanded={!isFolded}
        aria-label={`Lines of ${shown(file.path, { maxLength: 200 })}`}
        onClick={() => state.fold(n)}
      />
      <h3 class="diff-name" title={shown(nameOf(file), { maxLength: 4_000 })}>
        {file.oldPath !== file.path && (
          <>
            <Path path={file.oldPath} isOld />
            <span class="diff-arrow">
              <span aria-hidden="true">→</span>
              <span class="said"> becomes </span>
            </span>
          </>
        )}
        <Path path={file.path} />
      </h3>
      <p class="diff-facts">
        <span class={`badge is-${file.operation}`}>{operationNames[file.operation]}</span>
        {file.similarity !== null && file.similarity < 100 && <span class="diff-fact">{file.similarity}% alike</span>}
        {modes[0] !== modes[1] && modes[0] !== null && modes[1] !== null && (
          <span class="badge is-medium" title={`${modeText(modes[1] as string)}; was ${modeText(modes[0] as string)}`}>
            mode {modes[0]} → {modes[1]}
          </span>
        )}
        {specialKind(file)}
        {file.commit !== undefined && (
          <span class="diff-fact" title={shown(file.commit.subject, { maxLength: 200 })}>
            {commitText(file.commit)}
          </span>
        )}
        {file.since !== undefined && <span class="diff-fact">{sinceNames[file.since]}</span>}
        {file.part !== undefined && (
          <span class="diff-fact">
            part {groupDigits(file.part.at + 1)} of {groupDigits(file.part.of)}
          </span>
        )}
        {(file.warned ?? []).length > 0 && (
          <span class="badge is-high" title={shown((file.warned ?? []).join("; "), { maxLength: 1_000 })}>
            warning<span class="said">: {shown((file.warned ?? []).join("; "), { maxLength: 1_000 })}</span>
          </span>
        )}
        {!isFolded && unseen !== null && <UnseenButton {...{ state, n, unseen, showUnseen }} />}
        {!isFolded && state.isTooLongToWrap(n) && <span class="diff-fact">too long to wrap</span>}
        {isTyped ? (
          <span class="diff-counts">
            <span class="is-added">
              +{groupDigits(file.added)}
              <span class="said"> added</span>
            </span>{" "}
            <span class="is-removed">
              −{groupDigits(file.removed)}
              <span class="said"> removed</span>
            </span>
          </span>
        ) : (
          <span class="diff-fact">{sizeText(file.newMode === null ? file.oldBytes : file.newBytes)}</span>
        )}
      </p>
    </header>
  );
}

interface UnseenButtonProps extends Pick<FileSectionProps, "state" | "n" | "showUnseen"> {
  readonly unseen: Unseen;
}

function UnseenButton({ state, n, unseen: { line, is }, showUnseen }: UnseenButtonProps) {
  const file = state.lines(n);
  const isOld = file?.lines[line]?.sign === "-";
  const number = (isOld ? file?.oldNumber : file?.newNumber)?.[line] ?? 0;
  const text = `${isOld ? "old line" : "line"} ${groupDigits(number)} ${is === "cut" ? "is longer" : "goes on"}`;
  const rest = is === "cut" ? " than what is shown" : " to the right";
  return (
    <button
      type="button"
      class="diff-unseen"
      aria-label={`${text}${rest}: show it`}
      title={`${text}${rest}: show it (u)`}
      onClick={showUnseen}
    >
      {text}
      {/* The label says it where there is no room. */}
      <span class="diff-rest">{rest}</span>
    </button>
  );
}

function nameOf({ oldPath, path }: FileView): string {
  return oldPath === path ? displayName(path) : `${displayName(oldPath)} → ${displayName(path)}`;
}

/** The badge of a new special file: an executable, a link, a submodule. */
function specialKind({ oldMode, newMode }: FileView) {
  const mode = oldMode === null ? newMode : newMode === null || oldMode === newMode ? null : newMode;
  const name = { "100755": "executable", "120000": "link", "160000": "submodule" }[mode ?? ""];
  return name === undefined ? null : <span class="badge is-medium">{name}</span>;
}

/** The directories are shortened first if the path is too wide. */
function Path({ path: real, isOld }: { readonly path: string; readonly isOld?: boolean }) {
  const path = displayName(real);
  const split = path.lastIndexOf("/") + 1;
  return (
    <span class={isOld === true ? "diff-path is-old" : "diff-path"}>
      {split > 0 && (
        <span class="diff-folder">
          <T text={path.slice(0, split)} maxLength={1_000} />
        </span>
      )}
      <span class="diff-base">
        <T text={path.slice(split)} maxLength={1_000} />
      </span>
    </span>
  );
}

function Note({ state, n, file }: PartProps) {
  if (!state.hasNote(n)) return null;
  const load = state.state(n);
  if (load.is === "failed")
    return (
      <p class="diff-note" role="alert">
        <span>
          Its lines did not come. <T text={load.why} maxLength={200} />
        </span>
        <button type="button" class="button" onClick={() => state.loader.retry(n)}>
          Try again
        </button>
      </p>
    );
  return <p class="diff-note">{sentence(file)}</p>;
}

function sentence(file: FileView): string {
  const said = [...(file.part === undefined ? [] : [`part ${partText(file.part)}`]), ...encodingNotes(file)];
  if (file.lines > 0) return said.map((text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`).join(" ");
  if (file.isBinary) return `Not text: its bytes are not shown. ${sizeSentence(file)}`;
  if (file.isTooLarge) return `Too large: its lines are not shown. ${sizeSentence(file)}`;
  if (file.oldId === file.newId) return "Its content stays the same.";
  return "There is no line in it.";
}

function sizeSentence(file: FileView): string {
  return file.oldMode !== null && file.newMode !== null
    ? `It is ${sizeChange(file)}.`
    : `It is ${exactSize(file.oldBytes + file.newBytes)}.`;
}

function Lines(props: FilePanesProps) {
  const { state, n } = props;
  if (state.rows(n) !== null) return <FilePanes {...props} />;
  return state.state(n).is === "failed" ? null : <p class="diff-waiting quiet">Loading…</p>;
}
