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
  /** How many other questions it answered. */
  readonly also?: number;
  /** The question whose longer answer this one follows from. */
  readonly follows?: string | null;
  /** What happened to the answer. */
  readonly pickUp: AnswerUse;
  readonly next: string | null;
  /** True where the view around it goes on by itself. */
  readonly isInside: boolean;
}

export function ResultPanel(props: ResultPanelProps) {
  const { decision, scope, who, note, also = 0, follows = null, pickUp, next, isInside } = props;
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
        {also > 0 && <p>{also === 1 ? "1 other question was" : `${also} other questions were`} answered with it.</p>}
        {follows !== null && (
          <p>
            It came with the answer to <a href={linkTo.question(follows)}>another question</a>.
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
