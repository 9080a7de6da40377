// Prints what a call would do and how the gate would decide, for a person or as JSON. Nothing runs.

import type { Action } from "../../action/action.ts";
import { describeAction } from "../../action/describe.ts";
import { describeEffect } from "../../action/effect.ts";
import type { Decision, Verdict } from "../../policy/decision.ts";
import { displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import type { Result } from "../../shared/result.ts";
import { tableLines } from "../terminal/table.ts";
import type { Screen, Style } from "../terminal/terminal.ts";

export interface PlanDescription {
  readonly isAllowed: boolean;
  readonly json: Json;
  readonly lines: readonly string[];
}

export const decisionStyle: Readonly<Record<Decision, Style>> = { allow: "green", ask: "yellow", deny: "red" };

export function describePlan(planned: Result<{ action: Action; verdict: Verdict }>, screen: Screen): PlanDescription {
  if (!planned.ok) {
    const { error, message, hint } = planned.failure;
    const lines = [`${screen.paint("would be refused", "red")} (${error}): ${displayText(message)}`];
    if (hint !== undefined) lines.push(`hint: ${displayText(hint)}`);
    return { isAllowed: false, json: { ok: false, ...planned.failure }, lines: [...lines, "Nothing was run."] };
  }
  const { action, verdict } = planned.value;
  const rows = verdict.findings.map(({ effect, decision, because }) => [
    { text: decision, styles: [decisionStyle[decision]] },
    `${displayText(describeEffect(effect))}: ${displayText(because)}`,
  ]);
  const meaning = {
    allow: "it would run",
    ask: "a person would be asked; without one it is refused",
    deny: "it would be refused",
  };
  return {
    isAllowed: verdict.decision === "allow",
    json: { ok: true, action, verdict } as unknown as Json,
    lines: [
      describeAction(action),
      "",
      `verdict: ${screen.paint(verdict.decision, decisionStyle[verdict.decision])} (${meaning[verdict.decision]})`,
      ...tableLines(rows, { ...screen, width: Infinity }, "  "),
      "Nothing was run.",
    ],
  };
}
