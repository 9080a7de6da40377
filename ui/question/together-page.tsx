// Several questions that are alike, each whole, and one answer for those that the person has looked at.
// Invariant: a yes goes to questions whose every line was on the screen, by their digests, once. It keeps no rule.

import { useRef, useState } from "preact/hooks";
import type { AnswersRequest, AnswersTaken, TogetherRow, TogetherView } from "../../src/web/api-together.ts";
import { type ApiError, post } from "../client.ts";
import { Limit, useOwn } from "../devices/own-allowance.tsx";
import { useKeys } from "../keys.ts";
import { useLive } from "../live.ts";
import { ErrorText, Problem } from "../problem.tsx";
import { errorOf, useResource } from "../resource.ts";
import { goTo, linkTo } from "../route.ts";
import { T } from "../text.tsx";
import { useArmed } from "./armed.ts";
import { useSeenTexts } from "./seen-lines.ts";
import { TogetherItem } from "./together-item.tsx";
import "./together.css";

export function TogetherPage({ id }: { readonly id: string }) {
  const { state } = useLive();
  const { value, error } = useResource<TogetherView>(`/api/together/${encodeURIComponent(id)}`, state?.version);
  const [taken, setTaken] = useState<{ readonly answers: AnswersTaken; readonly isYes: boolean } | null>(null);
  useKeys("Questions", [{ key: "Escape", label: "Back to the queue", run: () => goTo(linkTo.queue()) }]);
  return (
    <div class="together">
      <nav class="way" aria-label="Queue">
        <a href={linkTo.queue()}>← Queue</a>
      </nav>
      {taken !== null && <Taken {...taken} />}
      {value !== null && error === null && (
        <Together view={value} onTaken={(answers, isYes) => setTaken({ answers, isYes })} />
      )}
      {error !== null && (error.status === 404 ? taken === null && <Gone /> : <Problem error={error} />)}
    </div>
  );
}

interface TogetherProps {
  readonly view: TogetherView;
  readonly onTaken: (taken: AnswersTaken, isYes: boolean) => void;
}

function Together({ view: { wants, questions, more = 0 }, onTaken }: TogetherProps) {
  const own = useOwn();
  const limit = own?.may === "low" && questions.every(({ severity }) => severity === "low") ? undefined : own?.limit;
  const area = useRef<HTMLUListElement>(null);
  const shown = questions.map(({ id, digest }) => `${id} ${digest}`).join(" ");
  const seen = useSeenTexts(area, shown);
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const [reason, setReason] = useState("");
  const [error, setError] = useState<ApiError | null>(null);
  const [isSending, setIsSending] = useState(false);
  const isArmed = useArmed(shown);
  const chosen = questions.filter(({ id }) => !leftOut.has(id));
  const ready = chosen.filter(({ id }) => seen.has(id));
  const send = async (decision: "allow" | "deny", rows: readonly TogetherRow[], event: Event) => {
    if (!isArmed(event) || isSending || rows.length === 0) return;
    setIsSending(true);
    setError(null);
    const said = reason.trim();
    const request: AnswersRequest = {
      decision,
      questions: rows.map(({ id, digest }) => ({ id, digest })),
      ...(decision === "deny" && said !== "" ? { reason: said } : {}),
    };
    try {
      onTaken(await post<AnswersTaken>("/api/answers", request), decision === "allow");
    } catch (thrown) {
      setError(errorOf(thrown));
    } finally {
      setIsSending(false);
    }
  };
  const toggle = (id: string) =>
    setLeftOut((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    );
  return (
    <>
      <h1 class="question-title">
        {questions.length + more} alike: <T text={wants} maxLength={300} />
      </h1>
      {more > 0 && (
        <p class="quiet">These are the first {questions.length}. The others come when these are answered.</p>
      )}
      <ul ref={area} class="together-list">
        {questions.map((row) => (
          <TogetherItem
            key={`${row.id} ${row.digest}`}
            row={row}
            isSeen={seen.has(row.id)}
            isChosen={!leftOut.has(row.id)}
            onToggle={() => toggle(row.id)}
          />
        ))}
      </ul>
      {limit !== undefined ? (
        <Limit text={limit} />
      ) : (
        <section class="answer panel" aria-labelledby="answer-title" data-sending={isSending}>
          <h2 id="answer-title" class="panel-title">
            One answer for {chosen.length}
          </h2>
          <div class="panel-body">
            <p class="quiet" role="status">
              {ready.length} of {chosen.length} looked at whole.
              {ready.length < chosen.length && " A yes is for these; the others wait on."}
            </p>
            {error !== null && (
              <div role="alert">
                <ErrorText error={error} />
              </div>
            )}
            <div class="button-row">
              <button
                type="button"
                class="button is-main"
                disabled={ready.length === 0}
                onClick={(event) => void send("allow", ready, event)}
              >
                Approve {ready.length} once
              </button>
              <button
                type="button"
                class="button is-no"
                disabled={chosen.length === 0}
                onClick={(event) => void send("deny", chosen, event)}
              >
                Reject {chosen.length}
              </button>
            </div>
            <label class="label" for="reason">
              If no, why: <span class="quiet">the agents are told</span>
            </label>
            <textarea
              id="reason"
              class="field"
              rows={2}
              maxLength={2_000}
              value={reason}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          </div>
        </section>
      )}
    </>
  );
}

function Taken({ answers: { answered, left }, isYes }: { readonly answers: AnswersTaken; readonly isYes: boolean }) {
  const [first] = left;
  return (
    <p class={`notice ${isYes ? "is-low" : "is-medium"}`} role="status">
      {answered.length} {isYes ? "approved once" : "rejected"}.
      {first !== undefined && (
        <>
          {" "}
          {left.length} not: <T text={first.why} maxLength={300} />.
        </>
      )}
    </p>
  );
}

function Gone() {
  return (
    <div class="question-gone">
      <h1>These questions do not wait any more</h1>
      <p>
        <a href={linkTo.queue()}>Back to the queue</a>
      </p>
    </div>
  );
}
