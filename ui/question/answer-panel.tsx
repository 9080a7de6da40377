// Where a person answers: each button is one exact answer, with what it will mean beside it.
// Invariant: no single key says yes. `a` only brings the focus here; the button itself is the answer.

import { useRef, useState } from "preact/hooks";
import type { Answered, AnswerRequest, OfferView, QuestionView } from "../../src/web/api.ts";
import { type ApiError, post } from "../client.ts";
import { useKeys } from "../keys.ts";
import { ErrorText } from "../problem.tsx";
import { errorOf } from "../resource.ts";
import { T } from "../text.tsx";
import { useArmed } from "./armed.ts";
import { isAlways, offerName, offersOf } from "./offer-names.ts";
import { RejectForm } from "./reject-form.tsx";
import { RuleEditor } from "./rule-editor.tsx";

export interface AnswerPanelProps {
  readonly question: QuestionView;
  /** What a person should know before they approve; null: nothing. */
  readonly caution: string | null;
  readonly onAnswered: (answered: Answered) => void;
  /** An answer of this page is on its way. */
  readonly onSending: (isSending: boolean) => void;
  /** The server says that it is not what was shown any more, is answered, or is gone. */
  readonly onStale: () => void;
}

export function AnswerPanel({ question, caution, onAnswered, onSending, onStale }: AnswerPanelProps) {
  const [always, setAlways] = useState<OfferView | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isSending, setIsSending] = useState(false);
  const [reason, setReason] = useState("");
  const section = useRef<HTMLElement>(null);
  const isArmed = useArmed(`${question.digest} ${always === null ? "" : offerName(always)}`);
  const focus = (selector: string) => section.current?.querySelector<HTMLElement>(selector)?.focus();

  const send = async (offer: OfferView, rules?: readonly string[]): Promise<void> => {
    if (isSending) return;
    setIsSending(true);
    onSending(true);
    setError(null);
    const said = reason.trim();
    const body: AnswerRequest = {
      decision: offer.decision,
      scope: offer.scope,
      digest: question.digest,
      ...(offer.decision === "deny" && said !== "" ? { reason: said } : {}),
      ...(rules === undefined ? {} : { rules }),
    };
    try {
      onAnswered(await post<Answered>(`/api/questions/${encodeURIComponent(question.id)}/answer`, body));
    } catch (thrown) {
      const problem = errorOf(thrown);
      setError(problem);
      if (problem.status === 409 || problem.status === 404) onStale();
    } finally {
      setIsSending(false);
      onSending(false);
    }
  };
  const choose = (offer: OfferView, event: Event): void => {
    if (!isArmed(event)) return;
    setError(null);
    if (isAlways(offer)) setAlways(offer);
    else void send(offer);
  };

  useKeys("Answer", [
    { key: "a", label: "Go to the approvals", run: (event) => isArmed(event) && focus("[data-allow]") },
    { key: "r", label: "Reject, with a reason", run: (event) => isArmed(event) && focus("#reason") },
  ]);

  if (always !== null)
    return (
      <RuleEditor
        offer={always}
        agent={question.agent}
        error={error}
        isSending={isSending}
        isArmed={isArmed}
        onKeep={(rules) => void send(always, rules)}
        onBack={() => {
          setAlways(null);
          setError(null);
        }}
      />
    );
  return (
    <section
      ref={section}
      class="answer panel"
      aria-labelledby="answer-title"
      data-sending={isSending}
      onKeyDown={(event) => moveAnswer(section.current, event)}
    >
      <div class="panel-title answer-head">
        <h2 id="answer-title">Your answer</h2>
        <p class="quiet answer-keys">
          <kbd>a</kbd> approve <kbd>r</kbd> reject
        </p>
      </div>
      <div class="panel-body">
        {caution !== null && <p class="answer-caution">{caution}</p>}
        <ul class="answer-list">
          {offersOf(question, "allow").map((offer, index) => (
            <li key={offer.scope}>
              <Choice offer={offer} isMain={index === 0} onChoose={choose} />
            </li>
          ))}
        </ul>
        <RejectForm offers={offersOf(question, "deny")} reason={reason} onReason={setReason} onChoose={choose} />
        {error !== null && (
          <div role="alert">
            <ErrorText error={error} />
          </div>
        )}
      </div>
    </section>
  );
}

interface ChoiceProps {
  readonly offer: OfferView;
  readonly isMain: boolean;
  readonly onChoose: (offer: OfferView, event: Event) => void;
}

function Choice({ offer, isMain, onChoose }: ChoiceProps) {
  const id = `rules-${offer.decision}-${offer.scope}`;
  return (
    <>
      <button
        type="button"
        class={`button answer-button${isMain ? " is-main" : ""}`}
        data-allow
        aria-describedby={id}
        onClick={(event) => onChoose(offer, event)}
      >
        <span>
          {offerName(offer)}
          {isAlways(offer) && "…"}
        </span>
        <span class="answer-meaning">{sentence(offer.meaning)}</span>
      </button>
      {offer.scope === "session" && offer.rules.length > 0 && (
        <pre id={id} class="answer-rules">
          <T text={offer.rules.join("\n")} multiline maxLength={20_000} />
        </pre>
      )}
    </>
  );
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** The arrows go from answer to answer, once the focus is on one. */
function moveAnswer(section: HTMLElement | null, event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const buttons = [...(section?.querySelectorAll<HTMLElement>("button") ?? [])];
  const at = buttons.indexOf(event.target as HTMLElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  buttons[at + step]?.focus();
}
