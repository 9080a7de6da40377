// Rules and answers that were added later, each in its own file below the configuration directory: one directory
// for all projects, and one for each project by its real path. No grant can cover them.

import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import type { Rule, RuleText } from "../policy/rule.ts";
import { baseName, joinPath } from "../shared/path.ts";
import { type ConfigError, fileError } from "./config-error.ts";
import { parseSource } from "./parse-source.ts";
import { checkStoredRule } from "./quick-check.ts";
import { exampleCount, readRule } from "./rules.ts";
import { readConfigFile } from "./source.ts";

export interface StoredRuleName {
  /** The name of the file. */
  readonly id: string;
  readonly scope: "project" | "everywhere";
}

export interface StoredRule extends StoredRuleName {
  /** True for a remembered yes, which answers questions. False for a rule. */
  readonly isAnswer: boolean;
  /** null for every agent. */
  readonly agent: string | null;
  readonly rule: Rule;
  readonly text: RuleText;
  readonly file: string;
  /** The number of examples that were tried. */
  readonly exampleCount: number;
  readonly added: string | null;
  readonly by: string | null;
  readonly question: string | null;
}

export interface RuleFiles {
  readonly stored: readonly StoredRule[];
  readonly errors: readonly ConfigError[];
}

export interface RulePaths {
  readonly configDirectory: string;
  readonly project: string;
  readonly home: string;
}

export function ruleDirectory(scope: StoredRule["scope"], { configDirectory, project }: RulePaths): string {
  const rules = joinPath(configDirectory, "rules");
  if (scope === "everywhere") return joinPath(rules, "everywhere");
  const name = createHash("sha256").update(project).digest("hex").slice(0, 16);
  return joinPath(joinPath(rules, "projects"), name);
}

export function loadRuleFiles(rulePaths: RulePaths): RuleFiles {
  const stored: StoredRule[] = [];
  const errors: ConfigError[] = [];
  for (const scope of ["everywhere", "project"] as const) {
    const directory = ruleDirectory(scope, rulePaths);
    const names = ruleNames(directory);
    if (typeof names === "string")
      errors.push(
        fileError(directory, `the rules cannot be read (${names})`, "It must be a directory that you can read."),
      );
    for (const name of typeof names === "string" ? [] : names) {
      const read = loadRuleFile(joinPath(directory, name), scope, rulePaths);
      if ("rule" in read) stored.push(read);
      else errors.push(...read);
    }
  }
  return { stored, errors };
}

/** A fingerprint that changes when a rule is added or removed. The gate compares it before each call. */
export function ruleFilesVersion(rulePaths: RulePaths): string {
  return (["everywhere", "project"] as const)
    .map((scope) => directoryVersion(ruleDirectory(scope, rulePaths)))
    .join(" ");
}

/** The resolution of modification times depends on the file system, so shortly after a change the names count as well. */
const coarsestMs = 2_000;

function directoryVersion(directory: string): string {
  const status = statSync(directory, { throwIfNoEntry: false, bigint: true });
  const isFresh = status === undefined || Math.abs(Date.now() - Number(status.mtimeMs)) < coarsestMs;
  // A path that exists and is not a directory differs from a missing directory.
  const names = isFresh ? ruleNames(directory) : [];
  return `${status?.mtimeNs ?? "none"}${typeof names === "string" ? names : names.join(",")}`;
}

/** Lists files whether or not they parse, so that a broken rule can be removed by its name. */
export function storedRuleIds(scope: StoredRule["scope"], rulePaths: RulePaths): readonly string[] {
  const names = ruleNames(ruleDirectory(scope, rulePaths));
  return typeof names === "string" ? [] : names.map((name) => name.slice(0, -".yaml".length));
}

/** The names, or an error code. */
function ruleNames(directory: string): string[] | string {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".yaml"))
      .sort();
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? [] : code;
  }
}

function loadRuleFile(
  file: string,
  scope: StoredRule["scope"],
  rulePaths: RulePaths,
): StoredRule | readonly ConfigError[] {
  const read = readConfigFile(file);
  // The file was removed between listing and reading, so it does not exist.
  if (!read.ok) return read.missing ? [] : [read.error];
  const opened = parseSource(file, read.text);
  if (!opened.ok) return opened.errors;
  const checked = checkStoredRule(opened.source);
  if (!checked.ok) return checked.errors;
  const { agent, answer, added, by, question, ...written } = checked.value;
  const project = { real: rulePaths.project, exists: true, links: [] };
  const rule = readRule(written, [], { source: opened.source, paths: { project, home: rulePaths.home } });
  if (!("text" in rule)) return rule;
  if (answer === true && written.decide !== "allow")
    return [fileError(file, "answer: only a yes is remembered as an answer", "Remove the line: a no is a rule.")];
  const id = baseName(file).slice(0, -".yaml".length);
  return {
    id,
    scope,
    isAnswer: answer === true,
    agent: agent ?? null,
    rule: { ...rule, id, origin: scope === "project" ? "this project" : "everywhere" },
    text: rule.text,
    file,
    exampleCount: exampleCount(written),
    added: added ?? null,
    by: by ?? null,
    question: question ?? null,
  };
}
