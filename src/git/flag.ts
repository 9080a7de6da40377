// Flags by allowlist, with their values. A table says which flags an operation takes and what may stand in
// each value; whatever is not in it is refused, and named.
// Invariant: what comes out is one word a flag, in a spelling that git cannot read in another way.

import { nearestName } from "../shared/nearest.ts";
import { fail, ok, type Result } from "../shared/result.ts";

/** null: the value is fine; otherwise what is wrong with it. */
export type ValueCheck = (value: string) => string | null;

export interface FlagRule {
  /** none: a switch. required: `--since=x`, `--since x`, `-n5`, `-n 5`. optional: only joined, `--stat=80`, `-M90%`. */
  readonly takes: "none" | "required" | "optional";
  readonly check: ValueCheck;
}

export type FlagTable = ReadonlyMap<string, FlagRule>;

const anything: ValueCheck = () => null;

export function switches(names: string): [string, FlagRule][] {
  return names.trim().split(/\s+/).map((name) => [name, { takes: "none", check: anything }]);
}

export function valued(check: ValueCheck, names: string): [string, FlagRule][] {
  return names.trim().split(/\s+/).map((name) => [name, { takes: "required", check }]);
}

export function optional(check: ValueCheck, names: string): [string, FlagRule][] {
  return names.trim().split(/\s+/).map((name) => [name, { takes: "optional", check }]);
}

export function parseFlags(op: string, args: readonly string[], table: FlagTable): Result<string[]> {
  const words: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as string;
    if (BREAKS.test(word)) return breaks(index);
    const flags = splitWord(word, table);
    if (flags === null) return unknownFlag(op, word, index, table);
    for (const { name, rule, value: joined } of flags) {
      let value = joined;
      if (rule.takes === "none" && value !== null) return refuse(`args[${index}]: ${name} takes no value.`, `Write ${name} alone.`);
      if (rule.takes === "required" && value === null) {
        value = args[++index] ?? null;
        if (value === null) return refuse(`args: ${name} needs a value.`, `Write ${example(name)}.`);
        if (BREAKS.test(value)) return breaks(index);
      }
      const problem = value === null ? null : rule.check(value);
      if (problem !== null) return refuse(`args: ${name}: ${problem}.`, `Write ${example(name)} with another value, or leave it out.`);
      words.push(value === null ? name : name.startsWith("--") ? `${name}=${value}` : `${name}${value}`);
    }
  }
  return ok(words);
}

const BREAKS = /[\0\n]/;

function breaks(index: number): Result<never> {
  return refuse(`args[${index}]: holds a NUL or a newline.`, "Values may hold any other character.");
}

interface SplitFlag {
  readonly name: string;
  readonly rule: FlagRule;
  readonly value: string | null;
}

/** `--name`, `--name=value`, `-x`, `-xvalue`, `-xyz` (switches together), and `-5` where the table has `-<number>`. */
function splitWord(word: string, table: FlagTable): SplitFlag[] | null {
  if (word.startsWith("--")) {
    const name = word.split("=", 1)[0] as string;
    const rule = table.get(name);
    return rule === undefined ? null : [{ name, rule, value: word === name ? null : word.slice(name.length + 1) }];
  }
  const number = /^-\d+$/.test(word) && !table.has(word) ? table.get("-<number>") : undefined;
  if (number !== undefined) return [{ name: word, rule: number, value: null }];
  const name = word.slice(0, 2);
  const rule = table.get(name);
  if (rule === undefined) return null;
  const rest = word.slice(2);
  if (rest === "") return [{ name, rule, value: null }];
  if (rule.takes !== "none") return [{ name, rule, value: rest }];
  const others = splitWord(`-${rest}`, table);
  return others === null ? null : [{ name, rule, value: null }, ...others];
}

function unknownFlag(op: string, word: string, index: number, table: FlagTable): Result<never> {
  const shown = JSON.stringify(word.slice(0, 80));
  if (!word.startsWith("-") || word === "-" || word === "--") {
    return refuse(`args[${index}]: ${shown} is not a flag.`, "Only flags go into args; a revision goes into ref, a file into path.");
  }
  const name = word.split("=", 1)[0] as string;
  const near = nearestName(name, [...table.keys()]);
  return refuse(`args[${index}]: ${op} does not take ${shown}.`, near === undefined ? `${op} takes: ${[...table.keys()].slice(0, 12).join(" ")} …` : `Did you mean ${near}?`);
}

function example(name: string): string {
  return name.startsWith("--") ? `${name}=VALUE` : `${name} VALUE`;
}

function refuse(message: string, hint: string): Result<never> {
  return fail("invalid_args", message, { hint });
}
