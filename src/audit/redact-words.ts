// Finds secrets in the words of a command line: by flags (`--token x`, `--password=x y`), and by what a word means to its program.

import { isSentenceWord, looksHashed, looksGenerated } from "./generated-value.ts";
import { isReference } from "./reference.ts";
import { isSecretName } from "./secret-name.ts";
import { type ProgramRule, programRules, stdinRules } from "./secret-programs.ts";
import { redacted } from "./secret-shape.ts";

type Words = readonly (string | null)[];

/** The part of a word that is a secret. */
export type WordCut = readonly [from: number, to: number];

interface ReadRule {
  readonly rule: ProgramRule;
  readonly needs: ReadonlySet<string>;
  readonly next: readonly string[];
  readonly attached: readonly string[];
  readonly login: readonly string[];
  readonly cookie: readonly string[];
}

const PROGRAMS = 4; // of one command line: a wrapper, what it runs, and some that only bear the name
const rulesOf = byProgram(programRules);
const stdinRulesOf = byProgram(stdinRules);

/** Matches the names of the programs in the tables, where they could be a word of a command. */
export const tabledProgram = new RegExp(
  String.raw`(?<![A-Za-z0-9_-]|[a-z]\.)(?:${[...rulesOf.keys(), ...stdinRulesOf.keys(), "read"].join("|")})(?=[\s"'\\,;)]|$)`,
);

/** null stands for something that is not a word, and stays null. `rule` applies to a single word. */
export function redactWords(words: Words, rule: (word: string) => string): (string | null)[] {
  const cuts = programCuts(words);
  return words.map((word, index) => {
    if (word === null) return null;
    if (isFlagFor(words[index - 1] ?? "", word)) return redacted;
    const from = /^-[a-z]*c$/.test(words[index - 1] ?? "") ? null : namedFrom(word);
    const cut = from === null ? cuts.get(index) : ([from, word.length] as const);
    return cut === undefined ? rule(word) : word.slice(0, cut[0]) + redacted + word.slice(cut[1]);
  });
}

function isFlagFor(flag: string, value: string): boolean {
  const name = /^--?([A-Za-z][\w.-]{0,127})$/.exec(flag)?.[1];
  if (name === undefined || value === "" || isReference(value)) return false;
  return isSecretName(name, value) && !isFlagLike(value);
}

/** Where the value of `--password=two words` begins; it reaches to the end of the word. A script, such as a word with newlines, is read as a text instead. */
export function namedFrom(word: string): number | null {
  const equals = word.indexOf("=");
  if (equals < 1 || equals > 130) return null;
  const name = /^-{0,2}([A-Za-z_][\w.-]*)$/.exec(word.slice(0, equals))?.[1];
  const value = word.slice(equals + 1);
  if (name === undefined || value === "" || isReference(value) || /[\n;&|]\s|\s[;&|]/.test(value)) return null;
  return isSecretName(name, value) ? equals + 1 : null;
}

/** Uses the tables only. */
export function programCuts(words: Words): ReadonlyMap<number, WordCut> {
  const cuts = new Map<number, WordCut>();
  let programs = 0;
  for (const [at, word] of words.entries()) {
    const rules = word === null ? undefined : rulesOf.get(baseName(word));
    if (rules === undefined) continue;
    if ((programs += 1) > PROGRAMS) break;
    for (const rule of rules) if (hasNeeded(words, at, rule.needs)) applyRule(words, at, rule, cuts);
  }
  return cuts;
}

/** Whether the input of this command is a secret. */
export function readsSecret(words: Words): boolean {
  return words.some((word, at) => {
    if (word === null) return false;
    if (/^--(?:[a-z]+-)*(?:password|passphrase|token|secret|key)-stdin$|^--with-token$/.test(word)) return true;
    const rules = at < 8 ? stdinRulesOf.get(baseName(word)) : undefined;
    return rules?.some(({ needs }) => hasNeeded(words, at, needs)) ?? false;
  });
}

function applyRule(words: Words, at: number, rule: ReadRule, cuts: Map<number, WordCut>): void {
  const isSure = isCommandPosition(words, at);
  const { next, attached: beginnings, login, cookie } = rule;
  const put = (index: number, from: number, to: number): void => {
    const word = words[index] as string;
    if (isValue(word.slice(from, to), isSure)) cuts.set(index, [from, to]);
  };
  for (let index = at + 1; index < words.length; index += 1) {
    const word = words[index];
    if (word === null || word === undefined || word === "") continue;
    const before = words[index - 1] ?? "";
    const { length } = word;
    if (next.includes(before)) put(index, 0, length);
    const joined = next.find((flag) => word.startsWith(`${flag}=`));
    if (joined !== undefined) put(index, joined.length + 1, length);
    const flagFound = beginnings.find((flag) => word.startsWith(flag) && length > flag.length);
    if (flagFound !== undefined) put(index, flagFound.length, length);
    const loginFrom = valueFrom(word, before, login);
    if (loginFrom !== null) loginCut(word, loginFrom, rule.rule.sign ?? ":", (from) => put(index, from, length));
    const cookieFrom = valueFrom(word, before, cookie);
    if (cookieFrom !== null && word.indexOf("=", cookieFrom) > cookieFrom) put(index, cookieFrom, length);
    if (rule.rule.names === true && isNameWord(before)) put(index, 0, length);
    const pair = rule.rule.pairs === true ? /^[\w.-]+=(?![@-]?$|@)/.exec(word) : null;
    if (pair !== null) put(index, pair[0].length, length);
  }
  if (rule.rule.index !== undefined) positionCut(words, at, rule, put);
}

// `-u 1000:1000` is a user and a group; in `-u http://h` the value is missing.
function loginCut(word: string, from: number, sign: string, put: (from: number) => void): void {
  const value = word.slice(from);
  const cut = value.indexOf(sign);
  if (cut < 0 || /^\d+:\d+$/.test(value) || value.startsWith("//", cut + 1)) return;
  put(from + cut + 1);
}

function positionCut(
  words: Words,
  at: number,
  { rule: { index: position = 0, atLeast = 0, indexSign }, needs }: ReadRule,
  put: (index: number, from: number, to: number) => void,
): void {
  const operands = [...words.keys()]
    .slice(at + 1)
    .filter((index) => !/^-|^\/[a-z]+$|^[<>]/.test(words[index] ?? "-") && !needs.has(words[index] ?? ""));
  const index = operands.length > atLeast ? operands.at(position) : undefined;
  const word = index === undefined ? undefined : words[index];
  if (index === undefined || word === undefined || word === null) return;
  if (indexSign === undefined) return word.includes("=") ? undefined : put(index, 0, word.length);
  const sign = word.indexOf(indexSign);
  const end = word.lastIndexOf("@");
  if (sign > 0) put(index, sign + 1, end > sign ? end : word.length);
}

/** Where the value of one of these flags begins: at the next word, or after the flag in the same word. */
function valueFrom(word: string, before: string, flags: readonly string[]): number | null {
  if (flags.includes(before)) return 0;
  const flag = flags.find((one) => word.startsWith(one) && word.length > one.length);
  if (flag === undefined) return null;
  if (word[flag.length] === "=") return flag.length + 1;
  return flag.startsWith("--") ? null : flag.length;
}

function isNameWord(word: string): boolean {
  const name = /[A-Za-z_][\w.-]{1,127}$/.exec(word)?.[0];
  return name !== undefined && !word.startsWith("-") && isSecretName(name, "unknown");
}

function isValue(value: string, isSure: boolean): boolean {
  if (value === "" || isReference(value) || isFlagLike(value) || /^[\d.]*:?\d+:\d+/.test(value)) return false;
  return isSure ? !isSentenceWord(value) : looksGenerated(value) && !looksHashed(value);
}

function isFlagLike(value: string): boolean {
  return /^--?[A-Za-z][A-Za-z0-9-]{0,30}(?:=|$)/.test(value);
}

/** Where a program name can stand in a command: at the beginning, after a prompt or a colon, or after a program that runs others. */
function isCommandPosition(words: Words, at: number): boolean {
  const before = words.slice(0, at);
  return before
    .slice(before.findLastIndex((word) => /^(?:[$>%#]|.*:)$/.test(word ?? "")) + 1)
    .every((word) =>
      /^(?:[A-Za-z_]\w*=.*|-.*|\$|!|\{|sudo|doas|env|time|nice|nohup|exec|command|xargs|then|do|else|if|while|timeout|\d+[smh]?|run|RUN|CMD|script:)$/s.test(
        word ?? "?",
      ),
    );
}

function hasNeeded(words: Words, at: number, needs: ReadonlySet<string>): boolean {
  return needs.size === 0 || words.some((word, index) => index > at && word !== null && needs.has(word));
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

function byProgram(rules: readonly ProgramRule[]): ReadonlyMap<string, readonly ReadRule[]> {
  const found = new Map<string, ReadRule[]>();
  for (const rule of rules) {
    const read: ReadRule = {
      rule,
      needs: new Set(rule.needs?.split("|")),
      next: flagsOf(rule.next),
      attached: flagsOf(rule.attached),
      login: flagsOf(rule.login),
      cookie: flagsOf(rule.cookie),
    };
    for (const program of rule.programs.split(" ")) found.set(program, [...(found.get(program) ?? []), read]);
  }
  return found;
}

function flagsOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(" ");
}
