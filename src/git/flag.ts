// Parses flags and their values by allowlist. A table lists the flags that an operation takes and the values that each flag may
// have. A flag that is not in the table is refused, and the failure names it.
// Invariant: the result has one word for each flag, in a spelling that git can read in only one way.

import { nearestName } from "../shared/nearest.ts";
import { fail, ok, type Result } from "../shared/result.ts";

/** Null if the value is accepted; otherwise what is wrong with it. */
export type ValueCheck = (value: string) => string | null;

export interface FlagRule {
  /**
   * none: a switch. required: `--since=x`, `--since x`, `-n5`, `-n 5`. optional: a value must be joined, `--stat=80`, `-M90%`.
   * revision: the joined value, or the next word unless it is a flag; HEAD if there is neither.
   */
  readonly takes: "none" | "required" | "optional" | "revision";
  readonly check: ValueCheck;
}

export type FlagTable = ReadonlyMap<string, FlagRule>;

const rules =
  (takes: FlagRule["takes"]) =>
  (check: ValueCheck, names: string): [string, FlagRule][] =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, { takes, check }]);

export const switches = (names: string): [string, FlagRule][] => rules("none")(() => null, names);
export const valued = rules("required");
export const optional = rules("optional");
export const revisions = rules("revision");

export function parseFlags(op: string, args: readonly string[], table: FlagTable): Result<string[]> {
  const words: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as string;
    if (isBroken(word)) return broken(index);
    const flags = splitWord(word, table);
    if (flags === null) return unknownFlag(op, word, index, table);
    for (const { name, rule, value: joined } of flags) {
      let value = joined;
      if (rule.takes === "none" && value !== null)
        return refuse(`args[${index}]: ${name} takes no value.`, `Write ${name} alone.`);
      if (value === null && takesNextWord(rule, args[index + 1])) value = args[++index] as string;
      else if (value === null && rule.takes === "revision") value = "HEAD";
      if (value === null && rule.takes === "required")
        return refuse(`args: ${name} needs a value.`, `Write ${example(name)}.`);
      if (value !== null && isBroken(value)) return broken(index);
      // SECURITY(T20): git would take the word after an empty `-S` as its value.
      if (value === "" && !name.startsWith("--"))
        return refuse(`args: ${name} needs a value that is not empty.`, `Write ${example(name)}.`);
      const problem = value === null ? null : rule.check(value);
      if (problem !== null)
        return refuse(`args: ${name}: ${problem}.`, `Write ${example(name)} with another value, or leave it out.`);
      words.push(value === null ? name : name.startsWith("--") ? `${name}=${value}` : `${name}${value}`);
    }
  }
  return ok(words);
}

/** Whether the word after a flag without a joined value is the value of that flag. */
export function takesNextWord(rule: FlagRule | undefined, next: string | undefined): boolean {
  return next !== undefined && (rule?.takes === "required" || (rule?.takes === "revision" && !next.startsWith("-")));
}

/** The flags with their values, and the words between them. */
export function separateFlags(words: readonly string[], table: FlagTable): { args: string[]; operands: string[] } {
  const args: string[] = [];
  const operands: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (!word.startsWith("-")) {
      operands.push(word);
      continue;
    }
    args.push(word);
    if (takesNextWord(table.get(word), words[index + 1])) args.push(words[++index] as string);
  }
  return { args, operands };
}

function isBroken(text: string): boolean {
  return /[\0\n]/.test(text) || !text.isWellFormed();
}

function broken(index: number): Result<never> {
  return refuse(
    `args[${index}]: holds a NUL, a newline or half of a character.`,
    "Values may hold any other character.",
  );
}

interface SplitFlag {
  readonly name: string;
  readonly rule: FlagRule;
  readonly value: string | null;
}

/** `--name`, `--name=value`, `-x`, `-xvalue`, `-xyz` (switches together), and `-5` if the table has `-<number>`. */
function splitWord(word: string, table: FlagTable): SplitFlag[] | null {
  if (word.startsWith("--")) {
    const name = word.split("=", 1)[0] as string;
    const rule = table.get(name);
    return rule === undefined ? null : [{ name, rule, value: word === name ? null : word.slice(name.length + 1) }];
  }
  const number = /^-\d{1,9}$/.test(word) && !table.has(word) ? table.get("-<number>") : undefined;
  if (number !== undefined) return [{ name: word, rule: number, value: null }];
  if (!/^-[A-Za-z0-9]/.test(word)) return null;
  const flags: SplitFlag[] = [];
  for (let at = 1; at < word.length; at++) {
    const name = `-${word[at] as string}`;
    const rule = table.get(name);
    if (rule === undefined) return null;
    const rest = word.slice(at + 1);
    if (rule.takes !== "none") return [...flags, { name, rule, value: rest === "" ? null : rest }];
    flags.push({ name, rule, value: null });
  }
  return flags;
}

function unknownFlag(op: string, word: string, index: number, table: FlagTable): Result<never> {
  const shown = JSON.stringify(word.slice(0, 80));
  if (!word.startsWith("-") || word === "-" || word === "--") {
    return refuse(
      `args[${index}]: ${shown} is not a flag.`,
      "Only flags go into args; a revision goes into ref, a file into path.",
    );
  }
  const name = word.split("=", 1)[0] as string;
  const near = nearestName(name, [...table.keys()]);
  return refuse(
    `args[${index}]: ${op} does not take ${shown}.`,
    near === undefined ? `${op} takes: ${[...table.keys()].slice(0, 12).join(" ")} …` : `Did you mean ${near}?`,
  );
}

function example(name: string): string {
  return name.startsWith("--") ? `${name}=VALUE` : `${name} VALUE`;
}

function refuse(message: string, hint: string): Result<never> {
  return fail("invalid_args", message, { hint });
}
