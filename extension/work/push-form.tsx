// What a push needs of the person: a message, a branch, and which files.

import { useState } from "preact/hooks";
import { displayName } from "../../src/shared/odd-name.ts";
import type { FileView as ChangedFile } from "../../src/web/api.ts";
import { T } from "../../ui/text.tsx";
import { Field } from "../../ui/field.tsx";
import { usePush } from "./push-state.ts";
import { useUnsavedPaths } from "./unsaved.ts";
import { useDraft, useWork } from "./work-state.ts";

export interface PushFormProps {
  readonly files: readonly ChangedFile[];
  readonly onBegun: () => void;
  readonly onClose: () => void;
}

/** Survives a look at another view. */
let typedMessage = "";

export function PushForm({ files, onBegun, onClose }: PushFormProps) {
  const { repository, branch: opened, session } = useDraft();
  const { account } = useWork();
  const push = usePush();
  const unsaved = useUnsavedPaths(session);
  const [message, setMessage] = useState(typedMessage);
  const [branch, setBranch] = useState(`${account?.login ?? "my"}-patch-1`);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  // A file with parts, or renamed, is more than one row or path.
  const paths = [
    ...new Set(files.flatMap((file) => (file.operation === "rename" ? [file.oldPath, file.path] : [file.path]))),
  ];
  const chosen = paths.filter((path) => !left.has(path));
  const submit = (event: Event) => {
    event.preventDefault();
    if (chosen.length === 0) return;
    typedMessage = "";
    push.begin({ repository, branch: branch.trim(), message, files: chosen });
    onBegun();
  };
  const toggle = (path: string) => {
    const next = new Set(left);
    if (!next.delete(path)) next.add(path);
    setLeft(next);
  };
  return (
    <form class="panel push-form" onSubmit={submit} aria-label="Push">
      <div class="form-field">
        <label class="label" for="message">
          Message
        </label>
        <textarea
          id="message"
          class="field"
          rows={3}
          required
          maxLength={20_000}
          value={message}
          onInput={(event) => {
            typedMessage = event.currentTarget.value;
            setMessage(typedMessage);
          }}
        />
      </div>
      <Field
        label="Branch"
        value={branch}
        onValue={setBranch}
        maxLength={200}
        isRequired
        isCode
        hint={
          branch.trim() === opened ? (
            "The one that you opened. It is changed itself."
          ) : (
            <>
              Other than <T text={opened} maxLength={200} />, which you opened. If it does not exist, it is made.
            </>
          )
        }
      />
      <details class="push-files">
        <summary>
          {chosen.length} of {paths.length === 1 ? "1 file" : `${paths.length} files`}
        </summary>
        <ul>
          {paths.map((path) => (
            <li key={path}>
              <label>
                <input type="checkbox" checked={!left.has(path)} onChange={() => toggle(path)} />{" "}
                <span class="mono">
                  <T text={displayName(path)} maxLength={1_000} />
                </span>
              </label>
            </li>
          ))}
        </ul>
      </details>
      {unsaved.size > 0 && (
        <p class="notice is-medium">
          {unsaved.size === 1
            ? "One file has edits that are not saved"
            : `${unsaved.size} files have edits that are not saved`}
          . They are not part of it.
        </p>
      )}
      <div class="button-row">
        <button class="button is-main" type="submit" disabled={chosen.length === 0}>
          Stage and push
        </button>
        <button class="button is-plain" type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
      <p class="quiet form-hint">You see the whole commit once more, and only your yes lets it out.</p>
    </form>
  );
}
