// Loads the rules of a file: expands paths, compiles patterns, tries examples.
// Invariant: a rule that contradicts its own examples stops the load, with its line.

import { createHash } from "node:crypto";
import type { Effect } from "../action/effect.ts";
import { matchesRule } from "../policy/match.ts";
import { compileRule, type Rule, type RuleText } from "../policy/rule.ts";
import { escapeWord, isLiteral, parseWordPattern } from "../policy/word-pattern.ts";
import { resolvePath } from "../process/real-path.ts";
import { escapeGlob } from "../shared/glob.ts";
import { baseName, isAbsolutePath } from "../shared/path.ts";
import { canonicalJson, type Json } from "../shared/json.ts";
import type { ConfigError } from "./config-error.ts";
import { effectsOfExample } from "./example.ts";
import { expandPath, expandTarget } from "./grant-path.ts";
import type { ProjectPaths } from "./config-paths.ts";
import { fieldName } from "./field-name.ts";
import type { ConfigFile } from "./schema.ts";
import type { FieldPath, Source } from "./source.ts";

export type WrittenRule = ConfigFile["policy"]["rules"][number];

export interface RulesContext {
  readonly source: Source;
  readonly paths: ProjectPaths;
}

/** A rule with its location, or its error. */
export function readRule(written: WrittenRule, at: FieldPath, context: RulesContext): Rule | readonly ConfigError[] {
  const { source, paths } = context;
  const error = (field: string, reason: string, hint: string) => {
    const fieldPath = field in written ? [...at, field] : at;
    return [
      source.errorAt(fieldPath, `${fieldPath.length === 0 ? "the rule" : fieldName(fieldPath)}: ${reason}`, hint),
    ];
  };
  const { examples, ...fields } = written;
  const wide = fields.effect === "push" && fields.decide === "allow" ? wideField(fields) : null;
  if (wide !== null) return error(...wide);
  const text: Record<string, unknown> = { ...fields };
  for (const name of ["path", "program"] as const) {
    const value = fields[name];
    if (value === undefined || (name === "program" && !value.includes("/"))) continue;
    const expanded = expandPath(value, paths);
    if ("reason" in expanded) return error(name, expanded.reason, expanded.hint);
    const real = throughLinks(expanded.path);
    // SECURITY(T16): a link can be changed later; an allow rule means the path that it led to when the rule was written.
    if (real !== expanded.path && written.decide === "allow")
      return error(name, `${JSON.stringify(value)} goes through a link`, `Write the real path: ${real}`);
    text[name] = real;
  }
  // A star in the name of an existing directory is not a pattern.
  if (fields.target !== undefined)
    text["target"] = expandTarget(fields.target, {
      project: { ...paths.project, real: escapeWord(paths.project.real) },
      home: escapeWord(paths.home),
    });
  const line = source.errorAt(at, "", "").line;
  const origin = `${source.file === null ? "the given configuration" : baseName(source.file)}${line === null || at.length === 0 ? "" : `:${line}`}`;
  const compiled = compileRule(text as unknown as RuleText, ruleId(text), origin);
  if (!compiled.ok) {
    const [, field = "", reason = ""] = /^(\w+): (.*)$/s.exec(compiled.failure.message) ?? [];
    return error(field, reason, compiled.failure.hint ?? "");
  }
  const failed: ConfigError[] = [];
  for (const [name, wanted] of [
    ["match", true],
    ["not_match", false],
  ] as const) {
    for (const [index, example] of (examples?.[name] ?? []).entries()) {
      const field = [...at, "examples", name, index];
      const effects = effectsOfExample(written.effect, example, context.paths);
      const problem = exampleProblem(compiled.value, effects, wanted);
      if (problem !== null)
        failed.push(
          source.errorAt(
            field,
            `${fieldName(field)}: ${JSON.stringify(example)} ${problem}`,
            "Mend the rule or the example.",
          ),
        );
    }
  }
  return failed.length > 0 ? failed : compiled.value;
}

/** SECURITY(T29): a rule may allow only pushes to one literal target and one literal branch. */
function wideField({ target, branch }: WrittenRule): [field: string, reason: string, hint: string] | null {
  if (target === undefined || branch === undefined)
    return ["decide", "a push is allowed for one target and one branch", "Name both: target and branch."];
  const example = { target: "one path or URL, such as ${project}", branch: "one branch, such as agent/tidy" };
  for (const [name, value] of [
    ["target", target],
    ["branch", branch],
  ] as const) {
    const pattern = parseWordPattern(value);
    if (!pattern.ok || isLiteral(pattern.value)) continue;
    return [
      name,
      `${JSON.stringify(value)} is a pattern, and a push is allowed for one target and one branch`,
      `Write ${example[name]}. Patterns can stand where the rule says ask or deny.`,
    ];
  }
  return null;
}

/** Effects have real paths, so the part before the first pattern is resolved. The rest stays as written. */
function throughLinks(path: string): string {
  const [plain = ""] = /^[^*?[\\]*/.exec(path) ?? [];
  const prefix = plain === path ? path : plain.slice(0, plain.lastIndexOf("/"));
  if (!isAbsolutePath(prefix) || path.split("/").includes("..")) return path;
  const { real, links } = resolvePath(prefix);
  return links.length === 0 ? path : (real === "/" ? "" : escapeGlob(real)) + path.slice(prefix.length);
}

export function exampleCount({ examples }: WrittenRule): number {
  return (examples?.match.length ?? 0) + (examples?.not_match.length ?? 0);
}

function exampleProblem(rule: Rule, effects: readonly Effect[] | string, wanted: boolean): string | null {
  if (typeof effects === "string") return effects;
  const doesMatch = effects.some((effect) => matchesRule(rule, effect));
  if (doesMatch === wanted) return null;
  return wanted ? "should match the rule, and does not" : "should not match the rule, and does";
}

/** The id depends on the rule's content alone, without its reason, so the same rule has the same id everywhere. */
export function ruleId(text: object): string {
  const { because: _, ...rest } = text as Record<string, unknown>;
  const plain = JSON.parse(JSON.stringify(rest)) as Json;
  return `r-${createHash("sha256").update(canonicalJson(plain)).digest("hex").slice(0, 8)}`;
}
