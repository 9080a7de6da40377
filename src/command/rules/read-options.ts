// Reads options as getopt does, from words that may be unknown. This is the reader for scripts: it refuses nothing, and
// an option that the specification does not list is a switch.
// Invariant: every word comes out once: as a flag, as a value, or as an operand.

import { type CommandWord, knownWord } from "../words/command-word.ts";
import { optionNames, type OptionRule, type OptionSpec, optionTable } from "./option-spec.ts";

export interface ReadOptions {
  readonly flags: ReadonlySet<string>;
  /** The last value of these options; and all of them. */
  readonly value: (...names: string[]) => CommandWord | null;
  readonly valuesOf: (...names: string[]) => readonly CommandWord[];
  readonly has: (...names: string[]) => boolean;
  readonly operands: readonly CommandWord[];
  /** How many operands stood before `--`. null without one. */
  readonly endMark: number | null;
}

export function readOptions(args: readonly CommandWord[], spec: OptionSpec = {}): ReadOptions {
  const reader = new OptionReader(args, spec);
  reader.read();
  const { flags, values, operands, endMark } = reader;
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

class OptionReader {
  readonly flags = new Set<string>();
  readonly values: [name: string, value: CommandWord][] = [];
  readonly operands: CommandWord[] = [];
  endMark: number | null = null;
  readonly #args: readonly CommandWord[];
  readonly #spec: OptionSpec;
  readonly #rules: ReadonlyMap<string, OptionRule>;
  #at = 0;

  constructor(args: readonly CommandWord[], spec: OptionSpec) {
    this.#args = args;
    this.#spec = spec;
    this.#rules = optionTable(spec).rules;
  }

  read(): void {
    const last = optionNames(this.#spec.last);
    for (let word = this.#next(); word !== undefined; word = this.#next()) {
      const { text } = word;
      if (text === "--") {
        this.endMark = this.operands.length;
        return this.#takeRest();
      }
      if (text === null || !text.startsWith("-") || text === "-") {
        this.operands.push(word);
        if (this.#spec.stand === "before operands") return this.#takeRest();
        continue;
      }
      if (this.#spec.longNames === "one dash") this.#take(text.replace(/^--/, "-"), null);
      else if (text.startsWith("--")) this.#readLong(text);
      else this.#readCluster(text);
      if (last.some((name) => this.flags.has(name))) return this.#takeRest();
    }
  }

  #next(): CommandWord | undefined {
    return this.#args[this.#at++];
  }

  #takeRest(): void {
    this.operands.push(...this.#args.slice(this.#at));
  }

  #readLong(text: string): void {
    const equals = text.indexOf("=");
    const written = equals < 0 ? text : text.slice(0, equals);
    this.#take(this.#wholeName(written), equals < 0 ? null : text.slice(equals + 1));
  }

  #wholeName(written: string): string {
    if (this.#rules.has(written) || this.#spec.longNames === "exact") return written;
    const [only, ...others] = [...this.#rules.keys()].filter((name) => name.startsWith(written));
    return only === undefined || others.length > 0 ? written : only;
  }

  #readCluster(text: string): void {
    for (let index = 1; index < text.length; index++) {
      const name = `-${text[index]}`;
      const rest = text.slice(index + 1);
      if ((this.#rules.get(name)?.takes ?? "nothing") === "nothing") this.flags.add(name);
      else return this.#take(name, rest === "" ? null : rest);
    }
  }

  #take(name: string, joined: string | null): void {
    this.flags.add(name);
    if (joined !== null) {
      this.values.push([name, knownWord(joined)]);
      return;
    }
    const takes = this.#rules.get(name)?.takes;
    if (typeof takes !== "object") return;
    for (let count = 0; count < takes.length; count++) {
      const value = this.#next();
      if (value !== undefined) this.values.push([name, value]);
    }
  }
}
