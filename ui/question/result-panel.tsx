// Shows an answered question: the answer, who gave it, and where to go next.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Scope } from "../../src/approval/offer.ts";
import { describeAnswerUse, type AnswerUse } from "../../src/approval/answer-use.ts";
import { linkTo } from "../route.ts";
import { T } from "../text.tsx";
import { momentText } from "../time.tsx";
import { CallEndText } from "./call-end.tsx";
import { resultText } from "./offer-names.ts";

export interface ResultPanelProps {
  readonly decision: "allow" | "deny";
  readonly scope: Scope;
  /** Null if this page gave the answer. */
  readonly who: string | null;
  readonly note: string | null;
  /** What happened to the answer. */
  readonly pickUp: AnswerUse;
  readonly next: string | null;
  /** True where the view around it goes on by itself. */
  readonly isInside: boolean;
}

export function ResultPanel({ decision, scope, who, note, pickUp, next, isInside }: ResultPanelProps) {
  const link = useRef<HTMLAnchorElement>(null);
  // If the answer comes from elsewhere, a person who is typing keeps the focus.
  useLayoutEffect(() => {
    if (who === null) link.current?.focus();
  }, []);
  const sense = decision === "allow" ? "is-yes" : "is-no";
  return (
    <section class={`answer panel ${sense}`} aria-labelledby="answer-title" role="status">
      <h2 id="answer-title" class="panel-title">
        {resultText({ decision, scope })}
      </h2>
      <div class="panel-body">
        {who !== null && (
          <p>
            Answered elsewhere, by <T text={who} maxLength={80} />. This page has changed nothing.
          </p>
        )}
        <p class={pickUp.state === "taken" ? "" : "notice is-medium"}>
          {describeAnswerUse({ decision, scope }, pickUp, momentText)}
        </p>
        {decision === "allow" && pickUp.state === "taken" && pickUp.call !== null && <CallEndText call={pickUp.call} />}
        {note !== null && (
          <p class="notice is-medium">
            <T text={note} />
          </p>
        )}
        {!isInside && (
          <div class="button-row">
            <a ref={link} class="button is-main" href={next === null ? linkTo.queue() : linkTo.question(next)}>
              {next === null ? "Back to the queue" : "Next question"}
            </a>
            {next !== null && (
              <a class="button is-plain" href={linkTo.queue()}>
                Queue
              </a>
            )}
          </div>
        )}
      </div>
    </section>
  );
}
