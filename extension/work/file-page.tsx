// One file of the draft, to read and edit. The agent can write the same file meanwhile; then both are kept until the person chooses.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { displayName } from "../../src/shared/odd-name.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Problem } from "../../ui/problem.tsx";
import { goTo } from "../../ui/route.ts";
import { T } from "../../ui/text.tsx";
import { Editor } from "./editor.tsx";
import { hiddenLines } from "./hidden-lines.ts";
import { sizeText } from "./size-text.ts";
import { type EditedFile, useFile } from "./use-file.ts";
import { workCalls } from "./work-calls.ts";
import { linkToWork } from "./work-route.ts";
import { useDraft, useDraftVersion } from "./work-state.ts";

export interface FilePageProps {
  readonly path: string;
  /** To show at the beginning. */
  readonly line: number | null;
}

export function FilePage({ path, line }: FilePageProps) {
  const { session } = useDraft();
  const edited = useFile(session, path, useDraftVersion());
  const { loaded, error } = edited;
  return (
    <>
      <div class="way file-way">
        <a href={linkToWork.files()}>← Files</a>
        {loaded?.file != null && <DeleteButton path={path} onDeleted={edited.takeBack} />}
      </div>
      <h1 class="file-title mono">
        <T text={displayName(path)} maxLength={2_000} />
      </h1>
      {error !== null && <Problem error={error} />}
      {loaded !== null &&
        (loaded.file !== null && loaded.file.text === null && edited.unsaved === null ? (
          <p class="notice">
            This file is not text, or too large to edit here: {sizeText(loaded.file.bytes)}. The diff and the tools of
            the agent take it all the same.
          </p>
        ) : (
          <Edit edited={edited} line={line} />
        ))}
    </>
  );
}

interface EditProps {
  readonly edited: EditedFile;
  readonly line: number | null;
}

function Edit({ edited, line }: EditProps) {
  const { loaded, ends, own, unsaved, isOther, isSaving, type, takeBack } = edited;
  const [isTheirs, setIsTheirs] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const isNew = loaded?.file === null;
  const showsTheirs = isTheirs && isOther;
  const text = showsTheirs ? own : (unsaved?.text ?? own);
  useSaveKey(edited.save);
  return (
    <>
      <div class="button-row file-bar">
        <button
          class="button is-main is-small"
          type="button"
          aria-disabled={unsaved === null || isOther || isSaving}
          onClick={() => !isOther && edited.save()}
        >
          Save
        </button>
        <button
          class="button is-small"
          type="button"
          aria-disabled={unsaved === null}
          onClick={() => unsaved !== null && setIsAsking(true)}
        >
          Take back
        </button>
        <span class="file-status quiet" role="status">
          {isSaving ? "Saving…" : unsaved !== null ? "not saved" : isNew ? "a new file" : "saved"}
        </span>
      </div>
      {isOther && <Other edited={edited} isTheirs={showsTheirs} onTheirs={setIsTheirs} />}
      {ends === "mixed" && (
        <p class="notice is-medium">
          The lines of this file end in different ways, and saving here would change all of them. So it is only shown.
        </p>
      )}
      <Hidden text={text} />
      <Editor
        text={text}
        label={showsTheirs ? "The file as it is now" : "Content"}
        isReadOnly={showsTheirs || ends === "mixed"}
        line={line}
        onText={type}
      />
      {isAsking && (
        <Confirm
          title="Take back what you typed?"
          yes="Take back"
          act={() => Promise.resolve(takeBack())}
          onDone={() => undefined}
          onClose={() => setIsAsking(false)}
        >
          <p>What you have typed in this file since it was saved is lost.</p>
        </Confirm>
      )}
    </>
  );
}

interface DeleteProps {
  readonly path: string;
  readonly onDeleted: () => void;
}

function DeleteButton({ path, onDeleted }: DeleteProps) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <button class="button is-small is-plain" type="button" onClick={() => setIsAsking(true)}>
        Delete…
      </button>
      {isAsking && (
        <Confirm
          title="Delete this file?"
          yes="Delete"
          act={() => workCalls.call("delete_file", { path })}
          onDone={() => {
            onDeleted();
            goTo(linkToWork.files());
          }}
          onClose={() => setIsAsking(false)}
        >
          <p>It is deleted in the draft. At GitHub it stays until you push that.</p>
        </Confirm>
      )}
    </>
  );
}

interface OtherProps {
  readonly edited: EditedFile;
  readonly isTheirs: boolean;
  readonly onTheirs: (isTheirs: boolean) => void;
}

function Other({ edited: { loaded, keepMine, takeBack }, isTheirs, onTheirs }: OtherProps) {
  const isGone = loaded?.file === null;
  return (
    <div class="notice is-medium other-version" role="alert">
      <p>
        <strong>{isGone ? "This file was deleted" : "This file was changed"}</strong> since you began to type. What you
        typed is kept.
      </p>
      <div class="button-row">
        {!isGone && (
          <button class="button is-small" type="button" aria-pressed={isTheirs} onClick={() => onTheirs(!isTheirs)}>
            {isTheirs ? "Show mine" : "Show what it is now"}
          </button>
        )}
        <button class="button is-small" type="button" onClick={keepMine}>
          Keep mine
        </button>
        <button class="button is-small" type="button" onClick={takeBack}>
          {isGone ? "Leave it deleted" : "Take what it is now"}
        </button>
      </div>
    </div>
  );
}

const HIDDEN_SHOWN = 5;

function Hidden({ text }: { readonly text: string }) {
  const lines = useMemo(() => hiddenLines(text), [text]);
  if (lines.length === 0) return null;
  return (
    <div class="notice is-medium hidden-lines">
      <p>
        <strong>Not what it looks like.</strong> {lines.length === 1 ? "A line has" : `${lines.length} lines have`}{" "}
        characters that draw nothing or reorder the text:
      </p>
      <ul>
        {lines.slice(0, HIDDEN_SHOWN).map(({ number, shown }) => (
          <li key={number}>
            {number}:{" "}
            <span class="mono">
              <T text={shown} maxLength={400} />
            </span>
          </li>
        ))}
        {lines.length > HIDDEN_SHOWN && <li>and {lines.length - HIDDEN_SHOWN} more</li>}
      </ul>
    </div>
  );
}

/** Ctrl S, wherever the focus is. */
function useSaveKey(save: () => void): void {
  const held = useRef(save);
  held.current = save;
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      if (!event.repeat) held.current();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
