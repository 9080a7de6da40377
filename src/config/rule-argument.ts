// Parses one rule that a person typed as YAML or JSON, as strictly as the configuration.

import type { Rule } from "../policy/rule.ts";
import type { ConfigError } from "./config-error.ts";
import { parseSource } from "./parse-source.ts";
import { readRule, type WrittenRule } from "./rules.ts";
import { schemaErrors } from "./schema-issue.ts";
import { writtenRuleSchema } from "./rule-schema.ts";

export type RuleArgument =
  | { readonly ok: true; readonly written: WrittenRule; readonly rule: Rule }
  | { readonly ok: false; readonly errors: readonly ConfigError[] };

export function readRuleArgument(
  text: string,
  { project, home }: { readonly project: string; readonly home: string },
): RuleArgument {
  const opened = parseSource(null, text.trim() === "" ? "{}" : text);
  if (!opened.ok) return opened;
  const { source } = opened;
  if (typeof source.value !== "object" || source.value === null || Array.isArray(source.value)) {
    const hint = "Write { decide: …, effect: … }, in single quotes for the shell.";
    return { ok: false, errors: [source.errorAt([], "a rule is a map", hint)] };
  }
  const parsed = writtenRuleSchema.safeParse(source.value);
  if (!parsed.success) return { ok: false, errors: schemaErrors(source, parsed.error.issues, writtenRuleSchema) };
  const paths = { project: { real: project, exists: true, links: [] }, home };
  const rule = readRule(parsed.data, [], { source, paths });
  return "text" in rule ? { ok: true, written: parsed.data, rule } : { ok: false, errors: rule };
}
