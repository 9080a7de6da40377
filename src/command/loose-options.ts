// Reads options as getopt does, from words that may be unknown, for a reader that refuses nothing: an option that the
// table does not have is a switch.
// Invariant: every word comes out once: as a flag, as a value, or as an operand.

import { type CommandWord, knownWord } from "./command-word.ts";

/** Names stand in one string, with their dashes: `"-k --kill-after"`. */
export interface LooseSpec {
  /** Take a value: joined, or the next word. */
  readonly values?: string;
  /** Take the rest of a cluster as their value, never the next word. */
  readonly optional?: string;
  /** Long switches by which shortened names are told. */
  readonly switches?: string;
  /** The first operand ends the options. */
  readonly stand?: "before operands";
  /** "whole": one dash or two make no difference, and `-json` is one name. Written here with one. */
  readonly names?: "whole";
  /** The last options: all behind their value are operands. */
  readonly last?: string;
}

export interface LooseWords {
  readonly flags: ReadonlySet<string>;
  /** The last value of an option; and all of them. */
  readonly value: (...names: string[]) => CommandWord | null;
  readonly valuesOf: (...names: string[]) => readonly CommandWord[];
  readonly has: (...names: string[]) => boolean;
  readonly operands: readonly CommandWord[];
  /** Where `--` stands among the operands: those from here on stood behind it. null without one. */
  readonly endMark: number | null;
}

interface Names {
  readonly values: ReadonlySet<string>;
  readonly optional: ReadonlySet<string>;
  readonly long: readonly string[];
  readonly last: readonly string[];
}
const compiled = new WeakMap<LooseSpec, Names>();

function namesOf(spec: LooseSpec): Names {
  const found = compiled.get(spec);
  if (found !== undefined) return found;
  const split = (text = ""): string[] => text.split(/\s+/).filter((name) => name !== "");
  const [values, optional] = [split(spec.values), split(spec.optional)];
  const long = [...values, ...optional, ...split(spec.switches)].filter((name) => name.startsWith("--"));
  const names = { values: new Set(values), optional: new Set(optional), long, last: split(spec.last) };
  compiled.set(spec, names);
  return names;
}

export function readLoose(args: readonly CommandWord[], spec: LooseSpec = {}): LooseWords {
  const names = namesOf(spec);
  const flags = new Set<string>();
  const values: [string, CommandWord][] = [];
  const operands: CommandWord[] = [];
  let endMark: number | null = null;
  let at = 0;
  const takeValue = (name: string, joined: string | null): void => {
    flags.add(name);
    if (joined !== null) values.push([name, knownWord(joined)]);
    else if (names.values.has(name) && at < args.length) values.push([name, args[at++] as CommandWord]);
  };
  const readLong = (text: string): void => {
    const equals = text.indexOf("=");
    const written = equals < 0 ? text : text.slice(0, equals);
    const meant = names.long.filter((name) => name.startsWith(written));
    const name = names.long.includes(written) || meant.length !== 1 ? written : (meant[0] as string);
    takeValue(name, equals < 0 ? null : text.slice(equals + 1));
  };
  const readCluster = (text: string): void => {
    for (let index = 1; index < text.length; index++) {
      const name = `-${text[index]}`;
      const rest = text.slice(index + 1);
      if (!names.values.has(name) && !names.optional.has(name)) flags.add(name);
      else return takeValue(name, rest === "" ? null : rest);
    }
  };
  while (at < args.length) {
    const word = args[at++] as CommandWord;
    const { text } = word;
    if (text === "--") {
      endMark = operands.length;
      operands.push(...args.slice(at));
      break;
    }
    if (text === null || !text.startsWith("-") || text === "-") {
      operands.push(word);
      if (spec.stand !== "before operands") continue;
      operands.push(...args.slice(at));
      break;
    }
    if (spec.names === "whole") takeValue(text.replace(/^--/, "-"), null);
    else if (text.startsWith("--")) readLong(text);
    else readCluster(text);
    if (!names.last.some((name) => flags.has(name))) continue;
    operands.push(...args.slice(at));
    break;
  }
  const valuesOf = (...wanted: string[]): CommandWord[] =>
    values.filter(([name]) => wanted.includes(name)).map(([, value]) => value);
  return {
    flags,
    valuesOf,
    value: (...wanted) => valuesOf(...wanted).at(-1) ?? null,
    has: (...wanted) => wanted.some((name) => flags.has(name)),
    operands,
    endMark,
  };
}
