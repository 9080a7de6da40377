// Adds and removes rules that are kept below the configuration directory: the one place where the gate writes there.
// Invariant: a rule is there whole or not at all, and survives a power cut once it is said to be stored.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { stringify } from "yaml";
import type { RuleText } from "../policy/rule.ts";
import { makeDirectories } from "../process/make-directories.ts";
import { joinPath, parentPath } from "../shared/path.ts";
import { type RulePaths, ruleDirectory, type StoredRule } from "./rule-files.ts";
import { ruleId, type WrittenRule } from "./rules.ts";

export interface RuleAddition {
  readonly scope: StoredRule["scope"];
  readonly text: RuleText;
  /** Tried again whenever the rule is read. */
  readonly examples?: WrittenRule["examples"];
  readonly isAnswer: boolean;
  readonly agent: string | null;
  readonly by: string;
  readonly question: string | null;
  readonly at: number;
}

/** Its name. The same rule again replaces the first. */
export function addRule(
  { scope, text, examples, isAnswer, agent, by, question, at }: RuleAddition,
  places: RulePaths,
): string {
  const id = ruleId({ ...text, agent, isAnswer });
  const directory = ruleDirectory(scope, places);
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
  if (scope === "project") writeWhole(joinPath(directory, "project"), `${places.project}\n`);
  writeWhole(joinPath(directory, `${id}.yaml`), content);
  return id;
}

/** False: there is none of that name. */
export function removeRule({ id, scope }: Pick<StoredRule, "id" | "scope">, places: RulePaths): boolean {
  const file = joinPath(ruleDirectory(scope, places), `${id}.yaml`);
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
