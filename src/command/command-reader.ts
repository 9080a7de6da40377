// Reads one command: what it runs, what it risks, and the commands inside of it. What it finds goes to a collector.

import type { Effect } from "../action/effect.ts";
import { limits } from "../shared/limits.ts";
import { baseName } from "../shared/path.ts";
import { type CommandContext, type CommandWord, commandWord, resolvePathText, textsOf } from "./command-word.ts";
import { type CopiedPrograms, findCopies } from "./copied-programs.ts";
import { innerCommands } from "./inner-commands.ts";
import type { Inner, ScriptReader } from "./inner-row.ts";
import type { RiskRow, RiskyCommand } from "./risk-row.ts";
import { fileRisks } from "./risks/files.ts";
import { gitRisks } from "./risks/git.ts";
import { interactiveRisks } from "./risks/interactive.ts";
import { networkRisks } from "./risks/network.ts";
import { privilegeRisks } from "./risks/privilege.ts";

export type Directories = readonly (string | null)[];

/** Where a command stands. */
export interface Standing {
  /** Where it may run, the likeliest first; null: somewhere. */
  readonly cwds: Directories;
  /** Who looks for it: the shell, with its functions and builtins; the shell without functions; or the system. */
  readonly finds: "functions" | "builtins" | "programs";
  /** Something feeds its standard input; with the text, where that is known. */
  readonly input: { readonly text: string | null } | null;
  /** It may be a command, or only words behind one that nobody knows; or ("text") a text in some code. */
  readonly isGuess: boolean | "text";
  readonly depth: number;
}

export interface Collector {
  readonly context: CommandContext;
  /** False where the script changes how programs are found. */
  readonly canFindPrograms: () => boolean;
  readonly addEffect: (effect: Effect) => void;
  readonly addCommand: (words: readonly CommandWord[]) => void;
  /** Something runs, and nobody knows what. */
  readonly addUnknown: () => void;
  /** Something was not read, and could have been: a person is asked. */
  readonly addUnreadable: (why: string) => void;
  /** Gives where this shell may stand afterwards. */
  readonly readScript: (text: string, standing: Standing, by: ScriptReader) => Directories;
  /** What programs were copied or linked to, so far. */
  readonly copies: CopiedPrograms;
  /** The shell's own function of that name was run; null: there is none. */
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
export const riskRows: readonly RiskRow[] = [
  ...privilegeRisks,
  ...fileRisks,
  ...gitRisks,
  ...interactiveRisks,
  ...networkRisks,
];
const risksByName = new Map<string, RiskRow[]>();
for (const row of riskRows)
  for (const name of row.names) risksByName.set(name, [...(risksByName.get(name) ?? []), row]);

export function isBuiltin(name: string): boolean {
  return builtins.has(name);
}

/** Gives where the shell may stand afterwards. */
export function readCommand(words: readonly CommandWord[], standing: Standing, collector: Collector): Directories {
  const { cwds } = standing;
  const [first, ...args] = words;
  if (first === undefined) return cwds;
  if (!standing.isGuess) collector.addCommand(words);
  if (first.text === null) {
    addRun(words, null, standing, collector);
    collector.addUnknown();
    // `$x rm -rf /` is `rm -rf /` where x is empty.
    const rest = words.findIndex(({ text }) => text !== null);
    if (rest > 0 && standing.depth < MOST_INSIDE)
      readCommand(
        words.slice(rest),
        { ...standing, finds: "programs", isGuess: true, depth: standing.depth + 1 },
        collector,
      );
    return cwds;
  }
  const called = standing.finds === "functions" ? collector.callFunction(first.text, cwds) : null;
  if (called?.isCertain === true) return called.cwds;
  addRun(words, first.text, standing, collector);
  const name = meantName(first.text, standing, collector);
  const command: RiskyCommand = {
    name,
    words,
    args,
    places: { context: collector.context, cwds },
    hasInput: standing.input !== null,
  };
  // `mkfs.ext4`, `vim.tiny`: the name before the dot.
  const rows = risksByName.get(name) ?? risksByName.get(name.slice(0, Math.max(0, name.indexOf(".")))) ?? [];
  for (const row of rows) {
    // A text in some code may well say "sudo" or "top": only what must never happen counts.
    if (standing.isGuess === "text" && row.kind !== "destroy" && row.kind !== "push") continue;
    for (const effect of row.find(command)) collector.addEffect(effect);
  }
  for (const copy of findCopies(command)) collector.copies.add(copy);
  const after = readInside(command, standing, collector);
  const original = collector.copies.find(first.text, cwds, collector.canFindPrograms());
  if (original !== undefined && standing.depth < MOST_INSIDE)
    readCommand(
      [commandWord(original), ...args],
      { ...standing, finds: "programs", depth: standing.depth + 1 },
      collector,
    );
  const moved = standing.finds !== "programs" && name === first.text ? changedDirectory(command, after) : after;
  return called === null ? moved : [...new Set([...moved, ...called.cwds])];
}

/** Without its directory; and a link of another name that leads to git, or to a part of it, is that. */
function meantName(written: string, { cwds }: Standing, { context, canFindPrograms }: Collector): string {
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

function addRun(words: readonly CommandWord[], name: string | null, standing: Standing, collector: Collector): void {
  if (standing.isGuess) return;
  const argv = textsOf(words);
  if (name === null) return collector.addEffect({ kind: "run", program: null, argv, at: "inside" });
  const found = collector.context.findProgram(name);
  if (found === null && standing.finds !== "programs" && builtins.has(name)) return;
  const program = collector.canFindPrograms() || name.includes("/") ? (found ?? name) : name;
  collector.addEffect({ kind: "run", program, argv, at: "inside" });
}

function readInside(command: RiskyCommand, standing: Standing, collector: Collector): Directories {
  return readInner(innerCommands(command), command, standing, collector);
}

/** What a variable was set to, for a program that starts it. */
export function readAssigned(
  found: readonly Inner[],
  { cwds, depth, isGuess }: Pick<Standing, "cwds" | "depth" | "isGuess">,
  collector: Collector,
): void {
  if (found.length === 0) return;
  const standing: Standing = { cwds, finds: "programs", input: null, isGuess, depth };
  const places = { context: collector.context, cwds };
  readInner(found, { name: "", words: [], args: [], places, hasInput: false }, standing, collector);
}

function readInner(
  found: readonly Inner[],
  command: RiskyCommand,
  standing: Standing,
  collector: Collector,
): Directories {
  let { cwds } = standing;
  for (const inner of found) {
    if (inner.kind === "unknown") {
      collector.addUnknown();
      continue;
    }
    if (standing.depth >= MOST_INSIDE) {
      collector.addUnreadable("commands are wrapped too deeply");
      continue;
    }
    // `command` and `builtin` leave it to the same shell.
    const isSame = standing.finds !== "programs" && /^(?:command|builtin)$/.test(command.name);
    const next: Standing = { ...standing, finds: isSame ? "builtins" : "programs", depth: standing.depth + 1 };
    if (inner.kind === "command" && inner.isUnused === true) {
      addRun(inner.words, inner.words[0]?.text ?? null, next, collector);
      continue;
    }
    if (inner.kind === "command") {
      const directory = inner.directory ?? null;
      const moved = directory === null ? cwds : resolveAll(directory, cwds);
      const after = readCommand(inner.words, { ...next, cwds: moved }, collector);
      if (isSame) cwds = after;
      continue;
    }
    if (inner.kind === "input" && inner.read !== undefined) {
      const given = standing.input?.text ?? null;
      if (given !== null) readInner(inner.read(given), command, { ...standing, input: null }, collector);
      continue;
    }
    const script = inner.kind === "input" ? { text: standing.input?.text ?? null, shape: null } : inner.script;
    if (script.text === null) collector.addUnknown();
    const text = script.text ?? script.shape;
    if (text === null) continue;
    const by =
      inner.kind === "script" && standing.finds !== "programs" ? (inner.by ?? "another shell") : "another shell";
    const input = by === "another shell" ? null : standing.input;
    const isGuess = inner.kind === "script" && inner.isText === true ? "text" : standing.isGuess;
    const after = collector.readScript(text, { ...next, finds: "functions", input, isGuess }, by);
    if (by === "this shell") cwds = after;
  }
  return cwds;
}

function resolveAll({ shape }: CommandWord, cwds: Directories): Directories {
  if (shape === null || /[*?[]/.test(shape)) return [null];
  const paths = cwds.map((cwd) => resolvePathText(shape, cwd));
  return [...new Set(paths.map((path) => (path !== null && path.length > limits.pathBytes ? null : path)))];
}

function changedDirectory({ name, args, places }: RiskyCommand, cwds: Directories): Directories {
  if (name === "popd") return [null];
  if (name !== "cd" && name !== "pushd") return cwds;
  const to = args.find(({ text }) => text === null || text === "-" || !/^[-+]/.test(text));
  if (to === undefined) return name === "cd" ? [places.context.home] : [null];
  return to.text === "-" ? [null] : resolveAll(to, cwds);
}
