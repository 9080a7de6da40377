// The examples of all rules of the program table. Every rule must have some.

import assert from "node:assert/strict";
import { programs } from "../../../src/command/programs/table.ts";
import type { EffectRule } from "../../../src/command/rules/effect-rule.ts";
import type { ShellRule } from "../../../src/command/rules/shell-rule.ts";
import type { StartRule } from "../../../src/command/rules/start-rule.ts";
import { archivesExamples } from "./archives.ts";
import { awkExamples } from "./awk.ts";
import { buildToolsExamples } from "./build-tools.ts";
import { codeAnalysisExamples } from "./code-analysis.ts";
import { databasesExamples } from "./databases.ts";
import { editorsExamples } from "./editors.ts";
import { envExamples } from "./env.ts";
import { fileChangesExamples } from "./file-changes.ts";
import { fileInspectionExamples } from "./file-inspection.ts";
import { findProgramsExamples } from "./find.ts";
import { gitProgramsExamples } from "./git.ts";
import { interpretersExamples } from "./interpreters.ts";
import { launchersExamples } from "./launchers.ts";
import { rightsProgramsExamples } from "./more-rights.ts";
import { networkClientsExamples } from "./network-clients.ts";
import { packageManagersExamples } from "./packages.ts";
import { remoteLoginExamples } from "./remote-login.ts";
import { sedExamples } from "./sed.ts";
import { shellsExamples } from "./shells.ts";
import { systemInformationExamples } from "./system-information.ts";
import { terminalProgramsExamples } from "./terminals.ts";
import { textSearchExamples } from "./text-search.ts";
import { wrappersExamples } from "./wrappers.ts";
import { xargsExamples } from "./xargs.ts";
import type { EffectExamples, ProgramExamples, ShellExamples, StartExamples } from "./program-examples.ts";

const examples: ProgramExamples = {
  ...archivesExamples,
  ...awkExamples,
  ...buildToolsExamples,
  ...codeAnalysisExamples,
  ...databasesExamples,
  ...editorsExamples,
  ...envExamples,
  ...fileChangesExamples,
  ...fileInspectionExamples,
  ...findProgramsExamples,
  ...gitProgramsExamples,
  ...interpretersExamples,
  ...launchersExamples,
  ...rightsProgramsExamples,
  ...networkClientsExamples,
  ...packageManagersExamples,
  ...remoteLoginExamples,
  ...sedExamples,
  ...shellsExamples,
  ...systemInformationExamples,
  ...terminalProgramsExamples,
  ...textSearchExamples,
  ...wrappersExamples,
  ...xargsExamples,
};

interface Exemplified<Rule, Examples> {
  readonly program: string;
  readonly rule: Rule;
  readonly examples: Examples;
}

export const shellExamples: Exemplified<ShellRule, ShellExamples>[] = [];
export const effectExamples: Exemplified<EffectRule, EffectExamples>[] = [];
export const startExamples: Exemplified<StartRule, StartExamples>[] = [];

const seen = new Set<unknown>();
const isNew = (rule: unknown): boolean => rule !== null && !seen.has(rule) && seen.add(rule) === seen;

for (const { names, shell, effects, starts } of programs) {
  const program = names[0] as string;
  const own = examples[program] ?? {};
  assert.equal(own.shell !== undefined, isNew(shell), `${program} has examples for Shell if it has a rule`);
  if (shell !== null && own.shell !== undefined) shellExamples.push({ program, rule: shell, examples: own.shell });
  const rules = effects.filter(isNew);
  assert.deepEqual(
    own.effects?.map(({ kind }) => kind) ?? [],
    rules.map(({ kind }) => kind),
    `${program} has examples for each effect rule`,
  );
  for (const [at, rule] of rules.entries())
    effectExamples.push({ program, rule, examples: own.effects?.[at] as EffectExamples });
  assert.equal(own.starts !== undefined, isNew(starts), `${program} has examples of what it starts if it has a rule`);
  if (starts !== null && own.starts !== undefined) startExamples.push({ program, rule: starts, examples: own.starts });
}

assert.deepEqual(
  Object.keys(examples).filter((name) => !programs.some(({ names }) => names[0] === name)),
  [],
  "every example belongs to a program",
);
