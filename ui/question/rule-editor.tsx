// Shows the rule that an "always" would store, in its stored form, and lets the person edit it.
// Invariant: Enter in the field makes a new line, and never says yes.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { OfferView, QuestionView } from "../../src/web/api.ts";
import type { ApiError } from "../client.ts";
import { useKeys } from "../keys.ts";
import { ErrorText } from "../problem.tsx";
import { shown, T } from "../text.tsx";
import type { IsArmed } from "./armed.ts";
import { AlsoList } from "./also-list.tsx";
import { RuleWidths } from "./rule-widths.tsx";
import { offerName } from "./offer-names.ts";

export interface RuleEditorProps {
  readonly offer: OfferView;
  readonly question: Pick<QuestionView, "id" | "agent">;
  readonly error: ApiError | null;
  readonly isSending: boolean;
  readonly isArmed: IsArmed;
  /** Called without rules if the person keeps them as offered. */
  readonly onKeep: (rules?: readonly string[]) => void;
  readonly onBack: () => void;
}

export function RuleEditor({ offer, question, error, isSending, isArmed, onKeep, onBack }: RuleEditorProps) {
  const offered = fieldText(offer.rules);
  const [text, setText] = useState(offered);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  useKeys("Rule", [{ key: "Escape", label: "Back to the answers", run: onBack }]);
  const keep = (event: Event) => {
    if (!isArmed(event)) return;
    onKeep(text === offered ? undefined : linesOf(text));
  };
  const isYes = offer.decision === "allow";
  return (
    <section
      class="answer panel"
      aria-labelledby="answer-title"
      data-sending={isSending}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.preventDefault();
          event.stopPropagation();
          onBack();
        }
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.repeat) {
          event.preventDefault();
          keep(event);
        }
      }}
    >
      <h2 id="answer-title" class="panel-title">
        {offerName(offer)}
      </h2>
      <div class="panel-body">
        {offer.widths !== undefined && (
          <RuleWidths widths={offer.widths} textOf={fieldText} text={text} onChoose={setText} />
        )}
        <label class="label" for="rules">
          {offer.rules.length === 1 ? "This rule is kept" : "These rules are kept"} for agent{" "}
          <T text={question.agent} maxLength={80} />
        </label>
        <textarea
          ref={field}
          id="rules"
          class="field is-code"
          rows={Math.min(12, Math.max(5, offer.rules.length * 4))}
          value={text}
          spellcheck={false}
          autocomplete="off"
          aria-describedby={error === null ? "rules-hint" : "rules-problem rules-hint"}
          aria-invalid={error !== null}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {error !== null && (
          <div id="rules-problem" role="alert">
            <ErrorText error={error} />
          </div>
        )}
        <p id="rules-hint" class="answer-meaning">
          One rule a line. You can make it wider or narrower, as long as it is still about this call. <kbd>Ctrl</kbd>{" "}
          <kbd>Enter</kbd> keeps it, <kbd>Esc</kbd> goes back.
        </p>
        <AlsoList question={question.id} offer={offer} rules={linesOf(text)} />
        <div class="button-row">
          <button type="button" class={`button ${isYes ? "is-main" : "is-no"}`} onClick={keep}>
            {isYes ? "Keep and approve" : "Keep and reject"}
          </button>
          <button type="button" class="button is-plain" onClick={onBack}>
            Back
          </button>
        </div>
      </div>
    </section>
  );
}

function fieldText(rules: readonly string[]): string {
  return rules.map((rule) => shown(rule, { maxLength: 100_000 })).join("\n");
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
