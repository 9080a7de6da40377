// Code on a command line, in any language: which words are code, and the texts in it.

import type { JudgedOptions } from "../rules/judge-options.ts";
import type { ReadOptions } from "../rules/read-options.ts";
import type { Started } from "../rules/start-rule.ts";
import { type CommandWord, knownWord } from "../words/command-word.ts";

const MOST_TEXTS = 40;
/** With one of these, sed and awk print something about themselves, and need no script. */
const shows: ReadonlySet<string> = new Set(["--version", "--help", "--copyright", "-C", "-V", "-h"]);

export function findScriptProblem(
  read: JudgedOptions,
  options: string,
  find: (script: string) => string | null,
): string | null {
  const names = options.split(" ");
  const values = read.options.filter(({ name }) => names.includes(name)).flatMap(({ values }) => values);
  const scripts = values.length > 0 ? values : read.operands.slice(0, 1);
  if (scripts.length === 0) return read.options.some(({ name }) => shows.has(name)) ? null : "has nothing to run";
  // Each option gives whole lines.
  const problem = find(scripts.join("\n"));
  return problem === null ? null : `does more than edit and print: ${problem}`;
}

/** What the code starts: that of the options, or of the first operand, or of the input where that is its file. */
export function startedByCode(
  read: ReadOptions,
  options: string,
  files: string,
  find: (code: string) => readonly Started[],
): readonly Started[] {
  const named = read.valuesOf(...files.split(" "));
  const values = read.valuesOf(...options.split(" "));
  const words = values.length > 0 ? values : named.length > 0 ? [] : read.operands.slice(0, 1);
  const codes = words.flatMap(({ text }) => (text === null ? [] : [text]));
  return [
    ...(codes.length === 0 ? [] : find(codes.join("\n"))),
    ...(named.some(isInputFile) ? [{ kind: "input", read: find } as const] : []),
  ];
}

export function isInputFile({ text }: CommandWord): boolean {
  return text === "-" || /^\/dev\/(?:stdin$|fd\/)|^\/proc\/self\/fd\//.test(text ?? "");
}

const quoted = /"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|`([^`]*)`/g;
/** A pair of brackets, with at most one level of pairs in it. */
const bracketed = /[[(][^[\]()]*(?:[[(][^[\]()]*[\])][^[\]()]*)*[\])]/g;

/** Each text in quotes may be a command, and so may those in one pair of brackets together: `run(["git", "push"])`. */
export function startedByTexts(code: string): Started[] {
  const texts = [
    ...quotedIn(code),
    ...(code.match(bracketed) ?? []).slice(0, MOST_TEXTS).map((list) => quotedIn(list).join(" ")),
  ];
  return [...new Set(texts)]
    .filter((text) => /\S\s+\S/.test(text))
    .map((text): Started => ({ kind: "script", script: knownWord(text), isMaybeText: true }));
}

function quotedIn(code: string): string[] {
  return [...code.matchAll(quoted)]
    .slice(0, MOST_TEXTS)
    .map(([, double, single, back]) => (double ?? single ?? back ?? "").replaceAll(/\\(["'\\])/g, "$1"));
}
