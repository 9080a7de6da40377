// Builds one hardened start of git, for Git and Shell.

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
import { argumentsProblem } from "./arguments-problem.ts";

export interface GitStepOptions {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Only for forms that print the configuration and do not act on it. */
  readonly showsOwnConfig: boolean;
  /** Without it, paths are taken literally. */
  readonly pathspecs?: readonly PathspecMode[];
  /** Words before git that start it: env with its options and variables. */
  readonly before?: Before;
}

export interface Before {
  /** The program of these words, which the box must show. */
  readonly program: string;
  readonly words: readonly string[];
  /** The directory in which that program starts. Git works in `cwd` of the options. */
  readonly cwd: string;
}

export interface GitStep {
  readonly step: Step;
  /** Paths that must be granted besides the repository's directories. */
  readonly reads: readonly string[];
  readonly git: string;
}

/** `repository` is null if the command asks git about itself. */
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
      // SECURITY(T20): the box does not show the repository's configuration. It shows a copy with only the harmless settings.
      files:
        configFile === null || options.showsOwnConfig
          ? []
          : [{ path: configFile.path, content: inertConfig(configFile.text) }],
    },
  });
}

/** SECURITY(T20): these settings come last, right before git, so that `env -i`, `env -u` or a variable cannot remove them. */
function startedBy(
  { words }: Before,
  [git = "", ...args]: readonly string[],
  hardening: readonly (readonly [string, string])[],
  cwd: string,
): string[] {
  return [...words, ...hardening.map(([name, value]) => `${name}=${value}`), git, "-C", cwd, ...args];
}

/** Fails without asking a person, because there is no planned call yet that a person could allow. */
export function notGranted(directories: readonly string[], capability: Capability): Result<never> | null {
  const path = directories.find((directory) => fsGrantFor(capability, directory, "r") === undefined);
  if (path === undefined) return null;
  return fail("fs_denied", `Not allowed to read ${path}: no grant covers it.`, {
    hint: `Whoever runs this gate can add { path: ${JSON.stringify(path)}, mode: r } to the agent's fs_grants.`,
  });
}
