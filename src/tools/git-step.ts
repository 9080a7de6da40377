// One start of git on a repository, hardened: what Git and Shell share.

import type { Step } from "../action/action.ts";
import { gitArguments, gitEnvironment } from "../git/command.ts";
import { inertConfig } from "../git/inert-config.ts";
import { findGit } from "../git/program.ts";
import type { Repository } from "../git/repository.ts";
import { fsGrantFor } from "../policy/capability.ts";
import { buildEnvironment } from "../process/environment.ts";
import { resolvePath } from "../process/real-path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { argumentsProblem } from "./program-arguments.ts";
import type { PlanContext } from "./tool.ts";

export interface GitStepOptions {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Only for forms that print the configuration and do nothing with it. */
  readonly showsOwnConfig: boolean;
}

export interface GitStep {
  readonly step: Step;
  /** What has to be granted beside the repository's own directories. */
  readonly reads: readonly string[];
  readonly git: string;
}

export function gitStep(repository: Repository, options: GitStepOptions): Result<GitStep> {
  const git = findGit();
  if (!git.ok) return git;
  const base = buildEnvironment(options.variables);
  if (!base.ok) return base;
  const argv = gitArguments({
    git: git.value,
    repository,
    words: options.words,
    showsOwnConfig: options.showsOwnConfig,
  });
  const environment = [...base.value, ...gitEnvironment(repository)].sort(([a], [b]) => (a < b ? -1 : 1));
  const problem = argumentsProblem(argv, environment);
  if (problem !== null) return fail("invalid_args", problem, { hint: "Give fewer or shorter arguments." });
  const { configFile } = repository;
  const program = resolvePath(git.value).real;
  return ok({
    git: git.value,
    reads: [program],
    step: {
      program,
      argv,
      cwd: options.cwd,
      environment,
      stdin: null,
      timeoutMs: options.timeoutMs,
      stdoutBytes: options.stdoutBytes,
      stderrBytes: options.stderrBytes,
      // SECURITY(T20): the repository's own configuration is not there at all; what is inert of it stands in its place.
      files:
        configFile === null || options.showsOwnConfig
          ? []
          : [{ path: configFile.path, content: inertConfig(configFile.text) }],
    },
  });
}

/** Nothing can be asked of a person here: there is no call to say yes to. */
export function notGranted(
  directories: readonly string[],
  { capability }: Pick<PlanContext, "capability">,
): Result<never> | null {
  const path = directories.find((directory) => fsGrantFor(capability, directory, "r") === undefined);
  if (path === undefined) return null;
  return fail("fs_denied", `Not allowed to read ${path}: no grant covers it.`, {
    hint: `Whoever runs this gate can add { path: ${JSON.stringify(path)}, mode: r } to the agent's fs_grants.`,
  });
}
