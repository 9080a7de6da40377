// A rule as a person types it in one line: `{ decide: allow, effect: read, path: ~/notes }`.

import type { RuleText } from "../policy/rule.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { ruleSchema } from "./schema.ts";
import { schemaErrors, type SchemaNode } from "./schema-issue.ts";
import { readRule } from "./rules.ts";
import { parseSource } from "./source.ts";
import { z } from "zod";

const ruleNode = z.toJSONSchema(ruleSchema, { io: "input" }) as SchemaNode;

export interface RuleLineContext {
  readonly project: string;
  readonly home: string;
}

/** Paths are expanded. The failure names the field. */
export function parseRuleLine(line: string, { project, home }: RuleLineContext): Result<RuleText> {
  const opened = parseSource(null, line);
  if (!opened.ok) return because(opened.errors[0]);
  const parsed = ruleSchema.safeParse(opened.source.value);
  if (!parsed.success) return because(schemaErrors(opened.source, parsed.error.issues, ruleNode)[0]);
  const places = { project: { real: project, exists: true, links: [] }, home };
  const rule = readRule(parsed.data, [], { source: opened.source, places });
  return "text" in rule ? ok(rule.text) : because(rule[0]);
}

function because(error: { readonly message: string; readonly hint: string } | undefined): Result<never> {
  return fail("invalid_args", error?.message ?? "this is not a rule", { hint: error?.hint });
}
