// Takes a comment on one line of a diff. It goes to the agent with a no, together with the others.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ReviewComment } from "../../src/approval/review-comments.ts";
import { displayName } from "../../src/shared/odd-name.ts";
import { T } from "../text.tsx";
import "../confirm.css";

/** A line of a diff, by its number on one side. */
export type LinePlace = Omit<ReviewComment, "text">;

const COMMENT_CHARACTERS = 1_000;

export interface CommentDialogProps {
  readonly place: LinePlace;
  readonly onAdd: (comment: ReviewComment) => void;
  readonly onClose: () => void;
}

export function CommentDialog({ place, onAdd, onClose }: CommentDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [line, setLine] = useState(place.line);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector("textarea")?.focus();
  }, []);
  const add = () => {
    if (text.trim() === "" || !Number.isInteger(line) || line < 1) return;
    onAdd({ ...place, line, text: text.trim() });
    dialog.current?.close();
  };
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="comment-title" onClose={onClose}>
      <h2 id="comment-title">
        Comment on <T text={displayName(place.path)} maxLength={400} />
      </h2>
      <label class="comment-line">
        Line{place.side === "before" && " before the change"}{" "}
        <input
          class="field"
          type="number"
          min={1}
          value={line}
          onInput={(event) => setLine(event.currentTarget.valueAsNumber)}
        />
      </label>
      <label class="label" for="comment">
        What should change <span class="quiet">the agent is told with your no</span>
      </label>
      <textarea
        id="comment"
        class="field"
        rows={4}
        maxLength={COMMENT_CHARACTERS}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="button-row">
        <button class="button is-main" type="button" aria-disabled={text.trim() === ""} onClick={add}>
          Add
        </button>
        <button class="button" type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </div>
    </dialog>
  );
}
