// Adds and removes rule files below the configuration directory. Only this file writes there.
// Invariant: a rule file is complete or absent, and survives a power cut once `addRule` has returned.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { stringify } from "yaml";
import type { RuleText } from "../policy/rule.ts";
import { makeDirectories } from "../process/make-directories.ts";
import { joinPath, parentPath } from "../shared/path.ts";
import { type RulePaths, ruleDirectory, type StoredRule, type StoredRuleName } from "./rule-files.ts";
import { ruleId, type WrittenRule } from "./rules.ts";

export interface RuleAddition {
  readonly scope: StoredRule["scope"];
  readonly text: RuleText;
  /** Tried each time the rule is loaded. */
  readonly examples?: WrittenRule["examples"];
  readonly isAnswer: boolean;
  readonly agent: string | null;
  readonly by: string;
  readonly question: string | null;
  readonly at: number;
}

/** Returns the rule's id. Adding the same rule again replaces the first. */
export function addRule(
  { scope, text, examples, isAnswer, agent, by, question, at }: RuleAddition,
  rulePaths: RulePaths,
): string {
  const id = ruleId({ ...text, agent, isAnswer });
  const directory = ruleDirectory(scope, rulePaths);
  const content = stringify({
    ...(JSON.parse(JSON.stringify(text)) as object),
    ...(examples === undefined ? {} : { examples }),
    ...(isAnswer ? { answer: true } : {}),
    ...(agent === null ? {} : { agent }),
    added: new Date(at).toISOString(),
    by,
    ...(question === null ? {} : { question }),
  });
  makeDirectories(directory, 0o700);
  if (scope === "project") writeWhole(joinPath(directory, "project"), `${rulePaths.project}\n`);
  writeWhole(joinPath(directory, `${id}.yaml`), content);
  return id;
}

/** False if no rule has that id. */
export function removeRule({ id, scope }: StoredRuleName, rulePaths: RulePaths): boolean {
  const file = joinPath(ruleDirectory(scope, rulePaths), `${id}.yaml`);
  try {
    unlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  syncDirectory(parentPath(file));
  return true;
}

function writeWhole(file: string, content: string): void {
  const draft = `${file}.${process.pid}.draft`;
  const descriptor = openSync(draft, "w", 0o600);
  try {
    writeSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  try {
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncDirectory(parentPath(file));
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
