// `sallyport policy check`: reports everything that is wrong with the configuration and the rules, and rules that can never decide.

import { type ConfigError, describeConfigErrors } from "../../config/config-error.ts";
import { loadRuleFiles } from "../../config/rule-files.ts";
import { safeJson } from "../../audit/entry.ts";
import { idleRules } from "../../policy/idle-rules.ts";
import { displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import { exitCode } from "../exit-code.ts";
import { type PolicyFlags, policyPaths, tryConfig } from "./policy-paths.ts";
import { wrapText } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface Checked {
  readonly ok: boolean;
  readonly rules: number;
  readonly answers: number;
  readonly examples: number;
  readonly errors: readonly ConfigError[];
  readonly warnings: readonly { readonly id: string; readonly origin: string; readonly reason: string }[];
}

export async function policyCheckCommand(flags: PolicyFlags, terminal: Terminal): Promise<number> {
  const checked = check(flags, terminal);
  const { out } = terminal;
  if (flags.json === true) await out.line(safeJson(checked as unknown as Json));
  else {
    const { ok, rules, answers, examples, errors, warnings } = checked;
    if (!ok) await out.line(describeConfigErrors(errors, Infinity));
    for (const { id, origin, reason } of warnings) {
      const text = `rule ${displayText(id)} (${displayText(origin)}) never decides: ${displayText(reason)}`;
      await out.line(
        [`${out.paint("warning:", "yellow")} ${wrapText(text, out.width - 9).join("\n         ")}`].join("\n"),
      );
    }
    const counts = [count(rules, "rule"), count(answers, "answer"), count(examples, "example")].join(", ");
    await out.line(
      ok
        ? `${out.paint("In order:", "green")} ${counts} ${examples === 1 ? "holds" : "hold"}.`
        : `${out.paint("Not in order:", "red")} ${count(errors.length, "error")}. As long as it is so, the answer to every call is no.`,
    );
  }
  return checked.ok ? exitCode.ok : exitCode.refused;
}

function check(flags: PolicyFlags, terminal: Terminal): Checked {
  const rulePaths = policyPaths(flags, terminal);
  const loaded = tryConfig(flags, terminal);
  const files = loadRuleFiles(rulePaths);
  const errors = [...(loaded.ok ? [] : loaded.errors), ...files.errors];
  const rules = files.stored.filter(({ isAnswer }) => !isAnswer);
  const written = loaded.ok ? loaded.config.policy : { rules: [], exampleCount: 0 };
  const idle = idleRules({
    rules: [...written.rules, ...rules.filter(({ agent }) => agent === null).map(({ rule }) => rule)],
    agents: loaded.ok ? loaded.config.agents : new Map(),
    sealed: [rulePaths.stateDirectory, rulePaths.configDirectory],
  });
  return {
    ok: errors.length === 0,
    rules: written.rules.length + rules.length,
    answers: files.stored.length - rules.length,
    examples: files.stored.reduce((sum, { exampleCount }) => sum + exampleCount, written.exampleCount),
    // A broken rules file also fails the load, so its errors occur twice. Each is reported once.
    errors: [...new Map(errors.map((error) => [JSON.stringify(error), error])).values()],
    warnings: idle.map(({ rule: { id, origin }, reason }) => ({ id, origin, reason })),
  };
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
