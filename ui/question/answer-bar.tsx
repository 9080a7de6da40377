// Stays at the bottom of the screen while a reviewer reads a diff whose answer stands below it: what is left to look at, and the way
// to the answer.

import type { ComponentChildren } from "preact";

export interface AnswerBarProps {
  /** How many files were not looked at, of how many. */
  readonly left: number;
  readonly total: number;
  /** How many comments the reviewer has made. */
  readonly comments?: number;
  /** What has happened to the question meanwhile; null while it can be answered. */
  readonly over: string | null;
  /** What the reviewer must not miss. */
  readonly children?: ComponentChildren;
}

export function AnswerBar({ left, total, comments = 0, over, children }: AnswerBarProps) {
  return (
    <div class="answer-bar" data-over-diff>
      {children}
      <div class="answer-bar-row">
        <span>
          {over ?? leftText(left, total)}
          {over === null && comments > 0 && ` · ${comments === 1 ? "1 comment" : `${comments} comments`}`}
        </span>
        <button type="button" class="button is-plain" onClick={toAnswer}>
          {over === null ? "To the answer" : "What came of it"} <span aria-hidden="true">↓</span>
        </button>
      </div>
    </div>
  );
}

function leftText(left: number, total: number): string {
  return left === 0 ? "All of it was on the screen" : `${left} of ${total} not read to the end`;
}

function toAnswer(): void {
  document.querySelector("#answer-title")?.scrollIntoView({ block: "center" });
}
