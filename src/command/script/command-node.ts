// Reads one simple command of a parsed script: its assignments, its redirections, and its words with what they hold.

import type { Assignment, Command, ParsedScript, Redirection, SyntaxNode, Word as ParsedWord } from "unbash";
import { startedByVariable } from "../programs/command-variables.ts";
import type { CommandContext } from "../words/command-line.ts";
import { type CommandWord, knownWord, unknownWord } from "../words/command-word.ts";
import { type Collector, isBuiltin, readCommand, readStarted } from "./command-reader.ts";
import { type EvaluatedText, evaluatedVariables, isMisread } from "./evaluated-text.ts";
import type { Findings } from "./findings.ts";
import { forEachChildNode } from "./parse-script.ts";
import { inputOf, readRedirect } from "./redirections.ts";
import { commandWords, type ScriptFacts } from "./script-words.ts";
import { newShell, type Shell, unsetFunctions } from "./shell-state.ts";

/** What reading a command needs of the walk through its script. */
export interface ScriptState {
  readonly context: CommandContext;
  readonly findings: Findings;
  readonly collector: Collector;
  /** These three change while the script is walked. */
  readonly shell: Shell;
  readonly facts: ScriptFacts;
  readonly evaluated: EvaluatedText;
  readonly readInSubshell: (script: ParsedScript) => void;
  readonly readAsNew: (text: string, shell: Shell) => void;
}

export function readCommandNode(node: Command, state: ScriptState): void {
  const { shell } = state;
  for (const part of node.prefix) if (part.type === "Assignment") readAssignment(part, state);
  for (const redirect of node.redirects) readRedirection(redirect, state);
  if (node.name === undefined) return;
  const words = wordsOfNode(node, node.name, state);
  const name = words[0]?.text ?? null;
  if (name !== null && isBuiltin(name)) state.evaluated.seeBuiltin(name, words.slice(1));
  if (name === "unset") unsetFunctions(shell, words.slice(1));
  const input = inputOf(node.redirects) ?? shell.input;
  const { cwds, depth, certainty } = shell;
  shell.cwds = readCommand(words, { cwds, lookup: "functions", input, certainty, depth }, state.collector);
}

function wordsOfNode(node: Command, nameWord: ParsedWord, state: ScriptState): CommandWord[] {
  const words = wordsOf(nameWord, state);
  const name = words[0]?.text ?? null;
  const isOwn = name === null || isBuiltin(name) || state.shell.functions.has(name);
  visitNode(nameWord, false, state);
  let first = 0;
  let { end } = nameWord;
  for (const argument of node.args) {
    // What a program gets as text stays text; what the shell keeps may come back as code.
    const isKept = isOwn && !/^(?:eval|trap)$/.test(name ?? "");
    if (argument.type === "Assignment") {
      words.push(assignedWord(argument, state));
      readAssignment(argument, state);
    } else {
      // The parser reads a word that goes on where a substitution ends as two.
      if (argument.pos === end) words.splice(first, words.length, unknownWord);
      else {
        first = words.length;
        words.push(...wordsOf(argument, state));
      }
      visitNode(argument, isKept, state);
    }
    end = argument.end;
  }
  return words;
}

export function wordsOf(word: ParsedWord, { context, facts, shell }: ScriptState): CommandWord[] {
  return commandWords(word, { context, facts, cwd: shell.cwds[0] ?? null });
}

function assignedWord({ name, value, append, index }: Assignment, state: ScriptState): CommandWord {
  const words = value.type === "Word" && index === undefined ? wordsOf(value, state) : [];
  const [only, ...others] = words;
  if (only === undefined || only.text === null || others.length > 0) return unknownWord;
  return knownWord(`${name}${append === true ? "+" : ""}=${only.text}`);
}

function readAssignment(assignment: Assignment, state: ScriptState): void {
  visitNode(assignment, true, state);
  const { shell, findings, collector } = state;
  const { cwds, depth, certainty } = shell;
  const { name, value } = assignment;
  const [word = unknownWord] = value.type === "Word" ? wordsOf(value, state) : [];
  const started = startedByVariable(name, word);
  readStarted(started, "", { cwds, lookup: "programs", input: null, certainty, depth }, collector);
  if (!evaluatedVariables.has(name)) return;
  const isAlwaysRun = /^(?:PROMPT_COMMAND|BASH_ENV|ENV)$/.test(name);
  if (!isAlwaysRun && !/[$`]/.test(word.text ?? "$")) return;
  findings.addUnknown();
  if (name === "PROMPT_COMMAND" && word.text !== null)
    state.readAsNew(word.text, newShell(cwds, null, depth + 1, "certain"));
}

export function readRedirection(redirect: Redirection, state: ScriptState): void {
  visitNode(redirect, true, state);
  if (redirect.type !== "Redirect" || redirect.target === undefined) return;
  const { findings, shell } = state;
  const found = readRedirect(redirect, wordsOf(redirect.target, state), shell.cwds[0] ?? null);
  for (const effect of found.effects) findings.addEffect(effect);
  if (!found.isKnown) findings.isWholeKnown = false;
  if (found.isSplit === true) findings.addUnknown();
}

/**
 * Reads the commands in words, subscripts, here-documents and arithmetic, each in a subshell. `isKept`: the shell keeps
 * the text, and may evaluate it later.
 */
export function visitNode(node: SyntaxNode, isKept: boolean, state: ScriptState): void {
  if (node.type === "Script") return state.readInSubshell(node);
  if (isMisread(node)) state.findings.addUnknown();
  state.evaluated.seeNode(node);
  if (isKept) state.evaluated.seeTextOf(node);
  if (node.type === "Word" && node.parts === undefined) return;
  forEachChildNode(node, (child) => visitNode(child, isKept, state));
}
