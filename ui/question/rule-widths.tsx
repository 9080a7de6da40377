// Ready-made widths of a rule, each with what it opens. Choosing one writes its rules into the field below.

import { readyNames } from "../../src/approval/ready-scopes.ts";
import type { WidthView } from "../../src/web/api.ts";
import { T } from "../text.tsx";

export interface RuleWidthsProps {
  readonly widths: readonly WidthView[];
  /** The rules of a width as the field shows them. */
  readonly textOf: (rules: readonly string[]) => string;
  /** What the field has now. */
  readonly text: string;
  readonly onChoose: (text: string) => void;
}

export function RuleWidths({ widths, textOf, text, onChoose }: RuleWidthsProps) {
  return (
    <fieldset class="rule-widths">
      <legend class="label">How wide</legend>
      {widths.map(({ width, rules, opens }) => (
        <label key={width} class="rule-width">
          <input
            type="radio"
            name="width"
            value={width}
            checked={text === textOf(rules)}
            onChange={() => onChoose(textOf(rules))}
          />
          <span>
            {readyNames[width]}
            {opens.map((line) => (
              <span key={line} class="answer-meaning">
                <T text={line} maxLength={2_000} />
              </span>
            ))}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
