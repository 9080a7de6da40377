// Requirements: conditions on a run besides its exit code. The gate checks them after the run and reports each one. They are values, so
// a caller can take a bundle, leave one out, or add its own.

import type { Effect } from "../../action/effect.ts";
import { describeEffect } from "../../action/effect.ts";
import { parseWorkspacePath, spellWorkspacePath } from "../../workspace/path.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { ExecutionResult } from "./execution-result.ts";

export interface RequirementContext {
  /** The effects that the gate read from the script before the run. */
  readonly effects: readonly Effect[];
  readonly workspace: Workspace;
  readonly expect: {
    readonly files?: readonly string[] | undefined;
    readonly git_diff?: readonly string[] | undefined;
  };
}

export interface Met {
  readonly ok: boolean;
  readonly reason?: string;
}

export interface Requirement {
  readonly name: string;
  check(result: ExecutionResult, context: RequirementContext): Met | Promise<Met>;
}

const met: Met = { ok: true };
const unmet = (reason: string): Met => ({ ok: false, reason });

function without(kind: Effect["kind"], effects: readonly Effect[]): Met {
  const found = effects.find((effect) => effect.kind === kind);
  return found === undefined ? met : unmet(`it would ${describeEffect(found)}`);
}

export const nonInteractive: Requirement = {
  name: "non_interactive",
  check: (_result, { effects }) => without("interactive", effects),
};

export const noSudo: Requirement = {
  name: "no_sudo",
  check: (_result, { effects }) => without("privilege", effects),
};

/** The box enforces this. */
export const noOutsideWrites: Requirement = {
  name: "no_outside_writes",
  check(result) {
    return result.enforced.filesystem === "kernel" ? met : unmet("the file system was not held by the kernel");
  },
};

export const underTimeout: Requirement = {
  name: "under_timeout",
  check: (result) => (result.timed_out ? unmet(`it ran into its time limit after ${result.duration_s} s`) : met),
};

export const underOutputLimits: Requirement = {
  name: "under_output_limits",
  check(result) {
    const cut = [result.stdout_truncated && "stdout", result.stderr_truncated && "stderr"].filter(
      (name) => name !== false,
    );
    return cut.length === 0 ? met : unmet(`${cut.join(" and ")} was cut`);
  },
};

export const filesExist: Requirement = {
  name: "files_exist",
  async check(_result, { expect, workspace }) {
    for (const text of expect.files ?? []) {
      const path = parseWorkspacePath(text, "expect.files");
      if (!path.ok) return unmet(path.failure.message);
      const isThere = (await workspace.entry(path.value)) !== undefined || (await workspace.isDirectory(path.value));
      if (!isThere) return unmet(`${spellWorkspacePath(path.value)} is not there`);
    }
    return met;
  },
};

export const gitDiffExists: Requirement = {
  name: "git_diff_exists",
  check(result, { expect }) {
    for (const text of expect.git_diff ?? []) {
      const path = parseWorkspacePath(text, "expect.git_diff");
      if (!path.ok) return unmet(path.failure.message);
      const spelled = spellWorkspacePath(path.value);
      const isChanged = result.artifacts.some(
        (artifact) => artifact.path === spelled || artifact.path.startsWith(`${spelled}/`),
      );
      if (!isChanged) return unmet(`${spelled} was not changed by this run`);
    }
    return met;
  },
};

const ofEveryRun = [nonInteractive, noSudo, noOutsideWrites, underTimeout, underOutputLimits];

export const bashRequirements: readonly Requirement[] = ofEveryRun;
/** The gate does not read Python code before the run, so only the box limits what the code starts. */
export const pythonRequirements: readonly Requirement[] = ofEveryRun;

/** The bundle, and the checks that `expect` asks for. */
export function requirementsFor(
  bundle: readonly Requirement[],
  expect: RequirementContext["expect"],
): readonly Requirement[] {
  return [
    ...bundle,
    ...(expect.files === undefined ? [] : [filesExist]),
    ...(expect.git_diff === undefined ? [] : [gitDiffExists]),
  ];
}

export async function checkRequirements(
  requirements: readonly Requirement[],
  result: ExecutionResult,
  context: RequirementContext,
): Promise<{ name: string; ok: boolean; reason?: string }[]> {
  return await Promise.all(
    requirements.map(async (requirement) => ({
      name: requirement.name,
      ...(await requirement.check(result, context)),
    })),
  );
}
