// Plans one command of Shell: from its text to the program to start.

import { statSync } from "node:fs";
import type { Step, ViewLink } from "../../action/action.ts";
import { expandBraces } from "../../command/words/braces.ts";
import { createProgramTable, judgeForm, type ProgramTable } from "../../command/form.ts";
import type { Form, GitProgramForm, ProgramForm } from "../../command/rules/shell-rule.ts";
import { expandGlobs, type ListDirectory } from "../../command/words/globs.ts";
import { type Assignment, scanCommand } from "../../command/words/scan.ts";
import { gitForm } from "../../git/read/forms.ts";
import { fsGrantFor } from "../../policy/capability.ts";
import { loadsCode } from "../../process/code-variables.ts";
import { networkVariables } from "./needed-hosts.ts";
import { workEnvironment } from "../../process/box-environment.ts";
import { programDirectories } from "../../process/find-on-path.ts";
import { resolvePath } from "../../process/real-path.ts";
import { limits } from "../../shared/limits.ts";
import { baseName, isAbsolutePath, joinPath, parentPath } from "../../shared/path.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { answeredResult, type ExecutionResult } from "./execution-result.ts";
import { type Before, gitStep, notGranted } from "./git-step.ts";
import { repositoryOnDisk } from "./path-on-disk.ts";
import { argumentsProblem } from "./arguments-problem.ts";
import { judgePaths, listerFor } from "./shell-paths.ts";
import { findShellProgram } from "./shell-program.ts";
import type { PlanContext } from "../tool.ts";

export interface PlannedCommand {
  readonly argv: readonly string[];
  /** Null if the gate answers without starting a program. */
  readonly step: Step | null;
  readonly answer: ExecutionResult | null;
  /** Whether none of its programs has to write. Only programs of the kind "runs freely" and those that the configuration adds write. */
  readonly isReading: boolean;
  readonly reads: readonly string[];
  readonly links: readonly ViewLink[];
}

interface Surroundings {
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly context: PlanContext;
}

export function planCommand(
  command: string,
  cwd: string,
  timeoutMs: number,
  context: PlanContext,
): Result<PlannedCommand> {
  const scanned = scanCommand(command);
  if (!scanned.ok) return scanned;
  const argv = expandWords(scanned.value.words, listerFor(cwd, context));
  if (!argv.ok) return argv;
  const variables = variablesOf(scanned.value.assignments);
  if (!variables.ok) return variables;
  const form = judgeForm(argv.value, programTable(context.shell.programs));
  if (!form.ok) return form;
  return planForm(form.value, argv.value, variables.value, { cwd, timeoutMs, context });
}

const tables = new Map<string, ProgramTable>();

/** Cached, because a table has all programs that are known. */
function programTable(extra: readonly string[]): ProgramTable {
  const key = extra.join(" ");
  const table = tables.get(key) ?? createProgramTable(extra);
  tables.set(key, table);
  return table;
}

function expandWords(
  words: readonly (readonly { readonly char: string; readonly isQuoted: boolean }[])[],
  list: ListDirectory,
): Result<string[]> {
  const argv: string[] = [];
  for (const word of words) {
    for (const choice of expandBraces(word, limits.argumentCount) ?? []) {
      if (choice.length > 0) argv.push(...(expandGlobs(choice, list, limits.argumentCount) ?? []));
      if (argv.length > limits.argumentCount) break;
    }
  }
  // The caller must name the program; a pattern must not choose it.
  if (words[0]?.some((character) => !character.isQuoted && "*?[{".includes(character.char)) === true) {
    return fail("permission_denied", "command: its program is a pattern.", { hint: "Name the program." });
  }
  if (argv.length === 0 || argv.length > limits.argumentCount)
    return fail("invalid_args", "command: it expands to too many words, or to none.", {
      hint: "Use a narrower pattern, or name a directory.",
    });
  return ok(argv);
}

function variablesOf(assignments: readonly Assignment[]): Result<Record<string, string>> {
  const variables: Record<string, string> = Object.create(null);
  for (const { name, value } of assignments) {
    if (name === "PATH")
      return fail("invalid_args", "command: PATH would change which programs are found.", {
        hint: "Leave it out: programs are found in fixed places.",
      });
    if (loadsCode(name)) return loadedCode(name);
    variables[name] = value;
  }
  return ok(variables);
}

function loadedCode(name: string): Result<never> {
  return fail("invalid_args", `command: ${name} makes programs load code, so it cannot be set.`, {
    hint: "Leave it out, or use Bash.",
  });
}

function planForm(
  form: Form,
  argv: readonly string[],
  variables: Readonly<Record<string, string>>,
  surroundings: Surroundings,
): Result<PlannedCommand> {
  switch (form.kind) {
    case "type":
      return ok(planType(form.names, argv, surroundings));
    case "git":
      return planGitCommand(form, argv, variables, surroundings);
    case "program":
      return planProgram(form, argv, variables, surroundings);
  }
}

function planProgram(
  form: ProgramForm,
  argv: readonly string[],
  variables: Readonly<Record<string, string>>,
  surroundings: Surroundings,
): Result<PlannedCommand> {
  const path = surroundings.context.programs.directories();
  const program = programsOf(form, argv, path, surroundings.context);
  if (!program.ok) return program;
  const network = networkVariables(surroundings.context.network, surroundings.context.capability);
  const environment = workEnvironment(variables, {
    path,
    network,
    home: surroundings.context.workspace.home,
    user: surroundings.context.user,
  });
  if (!environment.ok) return environment;
  const problem = argumentsProblem(argv, environment.value);
  if (problem !== null) return fail("invalid_args", problem);
  const named = judgePaths(form.paths, surroundings.cwd, surroundings.context);
  if (!named.ok) return named;
  const { real, links } = resolvePath(program.value);
  return ok({
    argv,
    answer: null,
    isReading: [argv, ...form.inner].every(([name = ""]) => isReadingProgram(baseName(name), surroundings.context)),
    reads: [real, ...named.value],
    links,
    step: {
      program: real,
      argv: [program.value, ...argv.slice(1)],
      cwd: surroundings.cwd,
      environment: environment.value,
      stdin: null,
      timeoutMs: surroundings.timeoutMs,
      stdoutBytes: limits.outputDefaultBytes,
      stderrBytes: limits.outputDefaultBytes,
      files: [],
    },
  });
}

/** Returns the program to start. Checks the programs that it starts, and their variables, as well. */
function programsOf(
  { inner, variables }: ProgramForm | GitProgramForm,
  argv: readonly string[],
  path: readonly string[],
  context: PlanContext,
): Result<string> {
  const loading = variables.map((word) => word.split("=", 1)[0] as string).find(loadsCode);
  if (loading !== undefined) return loadedCode(loading);
  const program = findShellProgram(argv[0] as string, path, context);
  for (const [name = ""] of inner) {
    const found = findShellProgram(name, path, context);
    if (!found.ok) return found;
  }
  return program;
}

function isReadingProgram(name: string, { shell }: PlanContext): boolean {
  return programTable(shell.programs).get(name)?.kind !== "runs freely" && !shell.programs.includes(name);
}

function planType(names: readonly string[], argv: readonly string[], { cwd, context }: Surroundings): PlannedCommand {
  const lines = names.map((name) => {
    const program = findShellProgram(name, context.programs.directories(), context);
    return program.ok
      ? { text: `${name} is ${program.value}\n`, isFound: true }
      : { text: `type: ${name}: not found\n`, isFound: false };
  });
  const texts = (isFound: boolean) =>
    lines
      .filter((line) => line.isFound === isFound)
      .map((line) => line.text)
      .join("");
  const answer = answeredResult(lines.every((line) => line.isFound) ? 0 : 1, texts(true), texts(false), cwd);
  return { argv, step: null, answer, isReading: true, reads: [], links: [] };
}

function planGitCommand(
  form: GitProgramForm,
  argv: readonly string[],
  variables: Readonly<Record<string, string>>,
  surroundings: Surroundings,
): Result<PlannedCommand> {
  // Git starts with the fixed PATH.
  const started = programsOf(form, argv, programDirectories(), surroundings.context);
  if (!started.ok) return started;
  const named = judgePaths(form.paths, surroundings.cwd, surroundings.context);
  if (!named.ok) return named;
  const options = {
    variables,
    timeoutMs: surroundings.timeoutMs,
    stdoutBytes: limits.outputDefaultBytes,
    stderrBytes: limits.outputDefaultBytes,
    pathspecs: form.pathspecs,
    ...(form.inner.length === 0 ? {} : { before: wordsBefore(form, argv, started.value, surroundings.cwd) }),
  };
  if (form.isAboutItself) {
    const step = gitStep(null, { ...options, words: form.words, cwd: surroundings.cwd, showsOwnConfig: false });
    if (!step.ok) return step;
    const reads = [...named.value, ...step.value.reads];
    return ok({ argv, step: step.value.step, answer: null, isReading: true, reads, links: [] });
  }
  const git = gitForm(form.words);
  if (!git.ok) return git;
  const start = form.directories.reduce(
    (from, directory) => joinPath(isAbsolutePath(directory) ? "/" : from, directory.replace(/^\/+/, "")),
    surroundings.cwd,
  );
  const there = repositoryOnDisk(start, "work_dir", surroundings.context);
  if (!there.ok) return there;
  const { real, links } = resolvePath(there.value);
  const isSeen = fsGrantFor(surroundings.context.capability, real, "r") !== undefined;
  const root = isSeen ? repositoryAround(real, surroundings.context) : real;
  const { repository, directories } = surroundings.context.repositoryAt(root);
  if (!repository.ok) return notGranted(directories, surroundings.context.capability) ?? repository;
  const step = gitStep(repository.value, {
    ...options,
    words: git.value.words,
    cwd: real,
    showsOwnConfig: git.value.showsOwnConfig,
  });
  if (!step.ok) return step;
  return ok({
    argv,
    step: step.value.step,
    answer: null,
    isReading: true,
    reads: [...named.value, ...directories, ...step.value.reads],
    links,
  });
}

function wordsBefore({ inner }: GitProgramForm, argv: readonly string[], program: string, cwd: string): Before {
  const own = argv.length - (inner.at(-1) as readonly string[]).length;
  return { program: resolvePath(program).real, words: [program, ...argv.slice(1, own)], cwd };
}

/** Like git, finds the nearest directory upwards that has a `.git`, as far as the agent may see. */
function repositoryAround(directory: string, { capability }: PlanContext): string {
  for (let current = directory; fsGrantFor(capability, current, "r") !== undefined; current = parentPath(current)) {
    if (statSync(joinPath(current, ".git"), { throwIfNoEntry: false }) !== undefined) return current;
    if (current === "/") break;
  }
  return directory;
}
