// Takes a person's answer: each button gives exactly one answer, with its meaning beside it.
// Invariant: no single key says yes. The key of an answer, which is the same as in a terminal, only moves the focus to its
// button, and the button gives the answer. Typing a word chooses nothing.

import { useRef, useState } from "preact/hooks";
import { answerName, firstKey, reasonKey, StrayKeys } from "../../src/approval/answer-keys.ts";
import { meaningAmong } from "../../src/approval/answer-meaning.ts";
import type { ReviewComment } from "../../src/approval/review-comments.ts";
import type { AnswerTaken, AnswerRequest, OfferView, QuestionView } from "../../src/web/api.ts";
import { type ApiError, post } from "../client.ts";
import { type KeyBinding, useKeys, useStrayKeys } from "../keys.ts";
import { ErrorText } from "../problem.tsx";
import { errorOf } from "../resource.ts";
import { T } from "../text.tsx";
import { useArmed } from "./armed.ts";
import { alsoText, isAlways, offerName, offersOf } from "./offer-names.ts";
import { RejectForm } from "./reject-form.tsx";
import { RuleEditor } from "./rule-editor.tsx";

export interface AnswerPanelProps {
  readonly question: QuestionView;
  /** What the person should know before they approve; null if there is nothing. */
  readonly caution: string | null;
  /**
   * Important content that the person has not seen; null if there is none. The panel offers no yes until the person has seen
   * it or says that they approve unseen.
   */
  readonly held: string | null;
  /** On lines of the diff. They go with a no. */
  readonly comments: readonly ReviewComment[];
  readonly onComments: (comments: readonly ReviewComment[]) => void;
  readonly onAnswered: (answered: AnswerTaken) => void;
  /** Called when the page starts and stops sending an answer. */
  readonly onSending: (isSending: boolean) => void;
  /** Called when the server says that the question differs from what was shown, is answered, or is gone. */
  readonly onStale: () => void;
}

export function AnswerPanel(props: AnswerPanelProps) {
  const { question, caution, held, comments, onComments, onAnswered, onSending, onStale } = props;
  const [always, setAlways] = useState<OfferView | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isSending, setIsSending] = useState(false);
  const [reason, setReason] = useState("");
  const [isUnseenSaid, setIsUnseenSaid] = useState(false);
  const section = useRef<HTMLElement>(null);
  const canApprove = held === null || isUnseenSaid;
  const isArmed = useArmed(`${question.digest} ${always === null ? "" : offerName(always)} ${canApprove}`);

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
      ...(offer.decision === "deny" && comments.length > 0 ? { comments } : {}),
      ...(rules !== undefined ? { rules } : offer.sets !== undefined ? { rules: offer.rules } : {}),
      // The number is beside each answer, and in the editor of its rules.
      answersOthers: offer.scope !== "once",
    };
    try {
      onAnswered(await post<AnswerTaken>(`/api/questions/${encodeURIComponent(question.id)}/answer`, body));
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

  const keyed = keyedOffers(question);
  const [stray] = useState(() => new StrayKeys());
  const [typed, setTyped] = useState("");
  // SECURITY(T39): a key chooses only if nothing else was typed, and other typing cancels the choice.
  const mistyped = () => {
    setTyped(stray.text);
    const chosen = document.activeElement;
    if (chosen instanceof HTMLElement && section.current?.contains(chosen)) chosen.blur();
  };
  useStrayKeys((key) => {
    stray.add(key);
    mistyped();
  });
  const answering = (key: string, label: string, selector: string): KeyBinding => ({
    key,
    label,
    run: (event) => {
      const button = section.current?.querySelector<HTMLElement>(selector) ?? null;
      const chosen = document.activeElement?.closest<HTMLElement>("[data-answer]") ?? null;
      if (stray.takes(key, true)) return mistyped();
      if (chosen !== null && chosen !== button) {
        stray.add(key);
        return mistyped();
      }
      setTyped("");
      if (isArmed(event)) button?.focus();
    },
  });
  const taking = (key: string): KeyBinding => ({
    key,
    label: "Take away what was typed",
    run: () => {
      stray.clear();
      setTyped("");
    },
  });
  useKeys("Answer", [
    answering(firstKey, "Go to the first answer", "[data-allow], [data-held]"),
    answering(reasonKey, "Reject, with a reason", "#reason"),
    ...keyed.map((offer) =>
      answering(answerName(offer).key, `Go to: ${offerName(offer)}`, `[data-answer="${answerId(offer)}"]`),
    ),
    ...(typed === "" ? [] : ["Enter", "Escape", "Backspace"].map(taking)),
  ]);

  if (always !== null)
    return (
      <RuleEditor
        offer={always}
        question={question}
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
          a key, then <kbd>Enter</kbd>
        </p>
      </div>
      <div class="panel-body">
        {caution !== null && <p class="answer-caution">{caution}</p>}
        {held !== null && <Held what={held} isSaid={isUnseenSaid} onSaid={setIsUnseenSaid} />}
        {canApprove && (
          <ul class="answer-list">
            {offersOf(question, "allow").map((offer, index, all) => (
              <li key={answerId(offer)}>
                <Choice offer={offer} before={all.slice(0, index)} hasKey={keyed.includes(offer)} onChoose={choose} />
              </li>
            ))}
          </ul>
        )}
        {typed !== "" && (
          <p class="notice is-medium" role="status">
            “<T text={typed} maxLength={40} />” is no answer. <kbd>Esc</kbd> takes it away.
          </p>
        )}
        <RejectForm
          offers={offersOf(question, "deny")}
          {...{ reason, comments, onComments }}
          takesComments={question.files.length > 0}
          onReason={setReason}
          onChoose={choose}
        />
        {error !== null && (
          <div role="alert">
            <ErrorText error={error} />
          </div>
        )}
      </div>
    </section>
  );
}

/** For a push the other letters belong to its diff: only `a`, `r` and `o` answer. */
function keyedOffers({ offers, action }: QuestionView): readonly OfferView[] {
  return offers.filter((offer) => action === null || answerName(offer).key === "o");
}

function answerId({ decision, scope, sets = [] }: OfferView): string {
  return [decision, scope, ...sets].join("-");
}

interface HeldProps {
  readonly what: string;
  readonly isSaid: boolean;
  readonly onSaid: (isSaid: boolean) => void;
}

/** SECURITY(T38): no button says yes to important content that the person has not seen, unless they confirm that. */
export function Held({ what, isSaid, onSaid }: HeldProps) {
  return (
    <div class="answer-held">
      <p>
        Not looked at, and it matters: <T text={what} maxLength={2_000} />. Approving waits for it.
      </p>
      <label>
        <input type="checkbox" data-held checked={isSaid} onChange={(event) => onSaid(event.currentTarget.checked)} /> I
        have not looked at it and want to decide all the same
      </label>
    </div>
  );
}

interface ChoiceProps {
  readonly offer: OfferView;
  readonly before: readonly OfferView[];
  readonly hasKey: boolean;
  readonly onChoose: (offer: OfferView, event: Event) => void;
}

function Choice({ offer, before, hasKey, onChoose }: ChoiceProps) {
  const id = `rules-${answerId(offer)}`;
  return (
    <>
      <button
        type="button"
        class={`button answer-button${before.length === 0 ? " is-main" : ""}`}
        data-allow
        data-answer={answerId(offer)}
        aria-describedby={id}
        onClick={(event) => onChoose(offer, event)}
      >
        <span>
          {offerName(offer)}
          {isAlways(offer) && "…"}
          {hasKey && <kbd aria-hidden="true">{answerName(offer).key}</kbd>}
        </span>
        <span class="answer-meaning">
          {sentence(meaningAmong(offer, before))}
          {offer.also !== undefined && <strong class="answer-also"> {alsoText(offer.also)}</strong>}
        </span>
      </button>
      {offer.scope === "session" && offer.rules.length > 0 && (
        <pre id={id} class="answer-rules">
          <T text={keptText(offer)} multiline maxLength={40_000} />
        </pre>
      )}
    </>
  );
}

/** Each rule, and what it allows. */
function keptText({ rules, opens }: OfferView): string {
  return rules.map((rule, index) => `${rule}\n  ${opens[index] ?? ""}`).join("\n");
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** The arrow keys move between the answers once one has the focus. */
function moveAnswer(section: HTMLElement | null, event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const buttons = [...(section?.querySelectorAll<HTMLElement>("button") ?? [])];
  const at = buttons.indexOf(event.target as HTMLElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  buttons[at + step]?.focus();
}
