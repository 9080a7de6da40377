// Reads one command: that it runs, which effects it has, and which commands it starts, which are read in turn. What is
// found goes to a collector.

import type { Effect } from "../../action/effect.ts";
import { limits } from "../../shared/limits.ts";
import { baseName } from "../../shared/path.ts";
import { findProgramEntry } from "../programs/table.ts";
import type { ScriptShell, Started } from "../rules/start-rule.ts";
import type { CommandContext, CommandLine, Directories } from "../words/command-line.ts";
import { type CommandWord, commandWord, resolvePathText, textsOf } from "../words/command-word.ts";
import { type CopiedPrograms, findCopies } from "./copied-programs.ts";

/** What feeds a standard input, with the text where that is known; null: nothing. */
export type Input = { readonly text: string | null } | null;

/**
 * "guess": these may be a command's words, or only words behind an unknown one. "text": a text in some code, which may
 * be a command.
 */
export type Certainty = "certain" | "guess" | "text";

/** Where and how a command is read. */
export interface CommandScope {
  readonly cwds: Directories;
  /** Who looks for the program: the shell, with its functions and builtins; the shell without functions; the system. */
  readonly lookup: "functions" | "builtins" | "programs";
  readonly input: Input;
  readonly certainty: Certainty;
  /** How many commands stand around it. */
  readonly depth: number;
}

export interface Collector {
  readonly context: CommandContext;
  /** False where the script changes how programs are found. */
  readonly canFindPrograms: () => boolean;
  readonly addEffect: (effect: Effect) => void;
  readonly addCommand: (words: readonly CommandWord[]) => void;
  /** Something runs that only the run will know. */
  readonly addUnknown: () => void;
  /** Something was not read that could have been: a person is asked. */
  readonly addUnreadable: (why: string) => void;
  /** Returns where this shell may be afterwards. */
  readonly readScript: (text: string, scope: CommandScope, shell: ScriptShell) => Directories;
  /** The copies of programs that the script has made so far. */
  readonly copies: CopiedPrograms;
  /** Reads the shell's own function of that name; null: there is none. `isCertain`: it surely is that function. */
  readonly callFunction: (
    name: string,
    cwds: Directories,
  ) => { readonly cwds: Directories; readonly isCertain: boolean } | null;
}

const MOST_INSIDE = 12;
const builtins = new Set(
  (
    ": . [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit " +
    "export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set " +
    "shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait"
  ).split(" "),
);

export function isBuiltin(name: string): boolean {
  return builtins.has(name);
}

/** Returns where the shell may be afterwards. */
export function readCommand(words: readonly CommandWord[], scope: CommandScope, collector: Collector): Directories {
  const { cwds } = scope;
  const [first, ...args] = words;
  if (first === undefined) return cwds;
  if (scope.certainty === "certain") collector.addCommand(words);
  if (first.text === null) {
    readUnknownCommand(words, scope, collector);
    return cwds;
  }
  const called = scope.lookup === "functions" ? collector.callFunction(first.text, cwds) : null;
  if (called?.isCertain === true) return called.cwds;
  addRun(words, first.text, scope, collector);
  const name = programName(first.text, scope, collector);
  const { context } = collector;
  const command: CommandLine = { name, words, args, context, cwds, hasInput: scope.input !== null };
  const after = readProgram(command, scope, collector);
  const original = collector.copies.find(first.text, cwds, collector.canFindPrograms());
  if (original !== undefined && scope.depth < MOST_INSIDE)
    readCommand([commandWord(original), ...args], { ...scope, lookup: "programs", depth: scope.depth + 1 }, collector);
  const moved = scope.lookup !== "programs" && name === first.text ? changedDirectory(command, after) : after;
  return called === null ? moved : [...new Set([...moved, ...called.cwds])];
}

/** `$x rm -rf /` is `rm -rf /` where x is empty. */
function readUnknownCommand(words: readonly CommandWord[], scope: CommandScope, collector: Collector): void {
  addRun(words, null, scope, collector);
  collector.addUnknown();
  const rest = words.findIndex(({ text }) => text !== null);
  if (rest < 0 || scope.depth >= MOST_INSIDE) return;
  const inside: CommandScope = { ...scope, lookup: "programs", certainty: "guess", depth: scope.depth + 1 };
  readCommand(words.slice(rest), inside, collector);
}

/** What the table says about the program. */
function readProgram(command: CommandLine, scope: CommandScope, collector: Collector): Directories {
  const program = findProgramEntry(command.name);
  if (program === undefined) return scope.cwds;
  for (const rule of program.effects) {
    // A text in some code may well say "sudo" or "top": only what must never happen counts.
    if (scope.certainty === "text" && rule.kind !== "destroy" && rule.kind !== "push") continue;
    for (const effect of rule.find(command)) collector.addEffect(effect);
  }
  if (program.copies !== null) for (const copy of findCopies(command, program.copies)) collector.copies.add(copy);
  return readStarted(program.starts?.(command) ?? [], command.name, scope, collector);
}

/** Without its directory. A link of another name that leads to git, or to a part of it, is git. */
function programName(written: string, { cwds }: CommandScope, { context, canFindPrograms }: Collector): string {
  const name = baseName(written);
  if (/^git(?:-|$)/.test(name)) return name;
  const paths = written.includes("/")
    ? cwds.map((cwd) => resolvePathText(written, cwd))
    : canFindPrograms()
      ? [written]
      : [];
  const found = paths.map((path) => baseName((path === null ? null : context.findProgram(path)) ?? name));
  return found.find((real) => /^git(?:-|$)/.test(real)) ?? name;
}

function addRun(words: readonly CommandWord[], name: string | null, scope: CommandScope, collector: Collector): void {
  if (scope.certainty !== "certain") return;
  const argv = textsOf(words);
  if (name === null) return collector.addEffect({ kind: "run", program: null, argv, at: "inside" });
  const found = collector.context.findProgram(name);
  if (found === null && scope.lookup !== "programs" && builtins.has(name)) return;
  const program = collector.canFindPrograms() || name.includes("/") ? (found ?? name) : name;
  collector.addEffect({ kind: "run", program, argv, at: "inside" });
}

/** Reads what a program starts. Returns where this shell may be afterwards. */
export function readStarted(
  found: readonly Started[],
  program: string,
  scope: CommandScope,
  collector: Collector,
): Directories {
  let { cwds } = scope;
  // `command` and `builtin` leave the command to the same shell.
  const isSameShell = scope.lookup !== "programs" && /^(?:command|builtin)$/.test(program);
  const inside: CommandScope = { ...scope, lookup: isSameShell ? "builtins" : "programs", depth: scope.depth + 1 };
  for (const started of found) {
    if (started.kind === "unknown") collector.addUnknown();
    else if (scope.depth >= MOST_INSIDE) collector.addUnreadable("commands are wrapped too deeply");
    else if (started.kind === "command" && started.isOnlyNamed === true)
      addRun(started.words, started.words[0]?.text ?? null, inside, collector);
    else if (started.kind === "command") {
      const directory = started.directory ?? null;
      const startedIn = directory === null ? cwds : resolveAll(directory, cwds);
      const after = readCommand(started.words, { ...inside, cwds: startedIn }, collector);
      if (isSameShell) cwds = after;
    } else if (started.kind === "input" && started.read !== undefined) {
      const text = scope.input?.text ?? null;
      if (text !== null) readStarted(started.read(text), program, { ...scope, input: null }, collector);
    } else cwds = readStartedScript(started, scope, cwds, collector);
  }
  return cwds;
}

function readStartedScript(
  started: Extract<Started, { kind: "script" | "input" }>,
  scope: CommandScope,
  cwds: Directories,
  collector: Collector,
): Directories {
  const script = started.kind === "input" ? { text: scope.input?.text ?? null, shape: null } : started.script;
  if (script.text === null) collector.addUnknown();
  const text = script.text ?? script.shape;
  if (text === null) return cwds;
  const isOwn = started.kind === "script" && scope.lookup !== "programs";
  const shell = isOwn ? (started.by ?? "another shell") : "another shell";
  const inside: CommandScope = {
    cwds: scope.cwds,
    lookup: "functions",
    input: shell === "another shell" ? null : scope.input,
    certainty: started.kind === "script" && started.isMaybeText === true ? "text" : scope.certainty,
    depth: scope.depth + 1,
  };
  const after = collector.readScript(text, inside, shell);
  return shell === "this shell" ? after : cwds;
}

function resolveAll({ shape }: CommandWord, cwds: Directories): Directories {
  if (shape === null || /[*?[]/.test(shape)) return [null];
  const paths = cwds.map((cwd) => resolvePathText(shape, cwd));
  return [...new Set(paths.map((path) => (path !== null && path.length > limits.pathBytes ? null : path)))];
}

function changedDirectory({ name, args, context }: CommandLine, cwds: Directories): Directories {
  if (name === "popd") return [null];
  if (name !== "cd" && name !== "pushd") return cwds;
  const to = args.find(({ text }) => text === null || text === "-" || !/^[-+]/.test(text));
  if (to === undefined) return name === "cd" ? [context.home] : [null];
  return to.text === "-" ? [null] : resolveAll(to, cwds);
}
