// `sallyport policy explain`: prints what the policy decides about one call, effect by effect, and who would have to answer.
// Nothing runs.

import type { Action } from "../../action/action.ts";
import { describeEffect } from "../../action/effect.ts";
import { rememberedYes } from "../../approval/memory.ts";
import { safeJson } from "../../audit/entry.ts";
import { describeBuiltIn } from "../../policy/built-in-text.ts";
import type { Finding, MatchedRule, Verdict } from "../../policy/decision.ts";
import type { RuleIndex } from "../../policy/rule-index.ts";
import { displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import { decisionStyle, describePlan } from "../call/dry-run.ts";
import { exitCode } from "../exit-code.ts";
import { readJsonArgument } from "../call/json-argument.ts";
import { type GateFlags, openGateFromFlags } from "../open-gate.ts";
import { wrapText } from "../terminal/table.ts";
import type { Screen, Terminal } from "../terminal/terminal.ts";

export interface ExplainFlags extends GateFlags {
  readonly json?: boolean;
}

export async function explainCommand(
  tool: string,
  json: string | undefined,
  flags: ExplainFlags,
  terminal: Terminal,
): Promise<number> {
  const args = await readJsonArgument(json, terminal);
  const { out } = terminal;
  const gate = openGateFromFlags(flags, terminal.environment);
  try {
    const planned = await gate.plan({ tool, args });
    if (!planned.ok) {
      const { json: failed, lines } = describePlan(planned, out);
      await out.line(flags.json === true ? safeJson(failed) : lines.join("\n"));
      return exitCode.refused;
    }
    const explained = explain(planned.value.action, planned.value.verdict, await gate.answers());
    await out.line(
      flags.json === true ? safeJson(explained as unknown as Json) : explainedLines(explained, out).join("\n"),
    );
    return explained.outcome === "runs" ? exitCode.ok : exitCode.refused;
  } finally {
    gate.close();
    await gate.closed;
  }
}

interface ExplainedRule extends MatchedRule {
  readonly decides: boolean;
  readonly why: string;
}

interface ExplainedEffect extends Finding {
  readonly rules: readonly ExplainedRule[];
  /** The name of the remembered yes that would answer the question. */
  readonly remembered: string | null;
}

interface Explained {
  readonly ok: true;
  readonly decision: Verdict["decision"];
  readonly outcome: "runs" | "asks" | "refused";
  readonly meaning: string;
  readonly effects: readonly ExplainedEffect[];
}

function explain(action: Action, { decision, findings }: Verdict, answers: RuleIndex): Explained {
  const effects = findings.map((finding): ExplainedEffect => {
    const rules = finding.rules.map((rule) => ({ ...rule, ...weigh(rule, finding) }));
    return {
      ...finding,
      rules,
      remembered: finding.decision === "ask" ? rememberedYes(answers, finding.effect) : null,
    };
  });
  const asked = effects.filter((effect) => effect.decision === "ask");
  const open = asked.filter(({ remembered }) => remembered === null).length;
  const [outcome, meaning] = ((): [Explained["outcome"], string] => {
    if (decision === "allow") return ["runs", "it would run, without a question"];
    if (decision === "deny") return ["refused", "it would be refused; no answer can open it"];
    if (action.contents.length > 0)
      return [
        "asks",
        "a person would be asked: it runs a file that the agent can change, so no remembered answer counts",
      ];
    if (open === 0) return ["runs", "it would run: remembered answers say yes to all that would be asked"];
    return ["asks", `a person would be asked about ${open} of ${effects.length} effects; without one it is refused`];
  })();
  return { ok: true, decision, outcome, meaning, effects };
}

function weigh(rule: MatchedRule, { by, decision }: Finding): { decides: boolean; why: string } {
  if (by === "never") return { decides: false, why: "no rule decides about this" };
  if (by === "error") return { decides: false, why: "the judging failed" };
  if (rule.decide === decision) return { decides: true, why: `the strictest that matches` };
  return { decides: false, why: `a rule that says ${decision} matches too, and is stricter` };
}

function explainedLines({ decision, outcome, meaning, effects }: Explained, screen: Screen): string[] {
  const style = { runs: "green", asks: "yellow", refused: "red" } as const;
  return [
    ...effects.flatMap((effect) => [...effectLines(effect, screen), ""]),
    `The whole: ${screen.paint(decision, decisionStyle[decision])}, the strictest of ${effects.length}.`,
    `${screen.paint(outcome, style[outcome])}: ${meaning}.`,
    "Nothing was run, and nothing was written down.",
  ];
}

function effectLines({ effect, decision, by, because, rules, remembered }: ExplainedEffect, screen: Screen): string[] {
  const inner = (text: string, indent = "       ") => wrapText(displayText(text), screen.width, indent);
  const otherwise = {
    never: `never opened, whatever the rules say: ${because}`,
    rules: "",
    otherwise: `no rule is about it; the written otherwise for ${effect.kind} says ${decision}`,
    "built-in": `no rule is about it; built in, ${effect.kind} is ${describeBuiltIn[effect.kind]}: ${because}`,
    error: because,
  }[by];
  const lines = otherwise === "" ? [] : inner(otherwise);
  for (const rule of rules) {
    const mark = rule.decides ? screen.paint("decides", "bold") : "does not decide";
    lines.push(
      `       ${screen.paint(rule.decide.padEnd(5), decisionStyle[rule.decide])} rule ${displayText(rule.id)} (${displayText(rule.origin)}) ${mark}: ${rule.why}`,
    );
    if (rule.because !== null) lines.push(...inner(`because: ${rule.because}`, " ".repeat(13)));
  }
  if (remembered !== null) lines.push(...inner(`the remembered answer ${remembered} says yes to it`));
  else if (decision === "ask") lines.push("       no remembered answer covers it");
  return [
    `${screen.paint(decision.padEnd(5), decisionStyle[decision])}  ${displayText(describeEffect(effect))}`,
    ...lines,
  ];
}
