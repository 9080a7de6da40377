// A rule that a person has edited on the page, read as `sallyport policy add` reads it.

import { readRuleArgument } from "../config/rule-argument.ts";
import { fail, ok } from "../shared/result.ts";
import type { RuleReader } from "./answer-routes.ts";

export function typedRules(home: string): RuleReader {
  return (line, { project }) => {
    const read = readRuleArgument(line, { project, home });
    if (read.ok) return ok(read.rule.text);
    const [error] = read.errors;
    return fail("invalid_args", error?.message ?? "this is not a rule", { hint: error?.hint });
  };
}
