// One start of git, hardened: what Git and Shell share.

import type { Step } from "../../action/action.ts";
import type { PathspecMode } from "../../command/rules/shell-rule.ts";
import { gitArguments, gitEnvironment } from "../../git/command.ts";
import { inertConfig } from "../../git/inert-config.ts";
import { findGit } from "../../git/program.ts";
import type { Repository } from "../../git/repository.ts";
import { type Capability, fsGrantFor } from "../../policy/capability.ts";
import { buildEnvironment } from "../../process/environment.ts";
import { resolvePath } from "../../process/real-path.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { argumentsProblem } from "./program-arguments.ts";

export interface GitStepOptions {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Only for forms that print the configuration and do nothing with it. */
  readonly showsOwnConfig: boolean;
  /** Default: paths are taken literally. */
  readonly pathspecs?: readonly PathspecMode[];
  /** Words that start git in turn: env with its options and variables. */
  readonly before?: Before;
}

export interface Before {
  /** Its program, which has to be seen. */
  readonly program: string;
  readonly words: readonly string[];
  /** Where it starts; git itself works in `cwd`. */
  readonly cwd: string;
}

export interface GitStep {
  readonly step: Step;
  /** What has to be granted beside the repository's own directories. */
  readonly reads: readonly string[];
  readonly git: string;
}

/** `repository` null: git is asked about itself. */
export function gitStep(repository: Repository | null, options: GitStepOptions): Result<GitStep> {
  const git = findGit();
  if (!git.ok) return git;
  const base = buildEnvironment(options.variables);
  if (!base.ok) return base;
  const { before, words, showsOwnConfig } = options;
  const own =
    repository === null ? [git.value, ...words] : gitArguments({ git: git.value, repository, words, showsOwnConfig });
  const hardening = gitEnvironment(repository, options.pathspecs);
  const argv = before === undefined ? own : startedBy(before, own, hardening, options.cwd);
  const environment = [...base.value, ...hardening].sort(([a], [b]) => (a < b ? -1 : 1));
  const problem = argumentsProblem(argv, environment);
  if (problem !== null) return fail("invalid_args", problem, { hint: "Give fewer or shorter arguments." });
  const configFile = repository?.configFile ?? null;
  const program = resolvePath(git.value).real;
  return ok({
    git: git.value,
    reads: before === undefined ? [program] : [before.program, program],
    step: {
      program: before?.program ?? program,
      argv,
      cwd: before?.cwd ?? options.cwd,
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

/** SECURITY(T20): said last, right before git, so that neither `env -i` nor `env -u` nor a variable takes any of it back. */
function startedBy(
  { words }: Before,
  [git = "", ...args]: readonly string[],
  hardening: readonly (readonly [string, string])[],
  cwd: string,
): string[] {
  return [...words, ...hardening.map(([name, value]) => `${name}=${value}`), git, "-C", cwd, ...args];
}

/** Nothing can be asked of a person here: there is no call to say yes to. */
export function notGranted(directories: readonly string[], capability: Capability): Result<never> | null {
  const path = directories.find((directory) => fsGrantFor(capability, directory, "r") === undefined);
  if (path === undefined) return null;
  return fail("fs_denied", `Not allowed to read ${path}: no grant covers it.`, {
    hint: `Whoever runs this gate can add { path: ${JSON.stringify(path)}, mode: r } to the agent's fs_grants.`,
  });
}
