// Judges the options of one program for Shell. It reads them as GNU's getopt does: `--name=value`, `--name value`,
// shortened names, `-abc` for `-a -b -c`, `-ovalue`, `--` as the end, options after operands.
// Invariant: a spelling that the program could take for a refused option is refused. A word is a value only where the
// specification says that the option takes one, so nothing hides behind an option that nobody knows.

import { fail, ok, type Result } from "../../shared/result.ts";
import { type OptionRule, type OptionSpec, type OptionTable, optionTable } from "./option-spec.ts";

/** A path as it is written, and the whole word it stands in. */
export interface PathWord {
  readonly path: string;
  readonly word: string;
}

export interface JudgedOption {
  readonly name: string;
  readonly values: readonly string[];
}

export interface JudgedOptions {
  readonly options: readonly JudgedOption[];
  readonly operands: readonly string[];
  /** The paths among the options' values. */
  readonly paths: readonly PathWord[];
  /** Where `--` stands; null without one. */
  readonly endMark: number | null;
}

export function judgeOptions(program: string, args: readonly string[], spec: OptionSpec): Result<JudgedOptions> {
  const reader = new OptionJudge(program, args, optionTable(spec));
  const problem = reader.read();
  return problem ?? ok(reader);
}

type Problem = ReturnType<typeof fail>;

class OptionJudge implements JudgedOptions {
  readonly options: JudgedOption[] = [];
  readonly operands: string[] = [];
  readonly paths: PathWord[] = [];
  endMark: number | null = null;
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #table: OptionTable;
  #at = 0;

  constructor(program: string, args: readonly string[], table: OptionTable) {
    this.#program = program;
    this.#args = args;
    this.#table = table;
  }

  read(): Problem | null {
    while (this.#at < this.#args.length) {
      const word = this.#args[this.#at++] ?? "";
      if (word === "--") {
        this.endMark = this.#at - 1;
        return this.#takeRest();
      }
      if (!word.startsWith("-") || word === "-") {
        this.operands.push(word);
        if (this.#table.spec.stand === "before operands") return this.#takeRest();
        continue;
      }
      const problem = word.startsWith("--") ? this.#readLong(word) : this.#readCluster(word);
      if (problem !== null) return problem;
    }
    return null;
  }

  #takeRest(): null {
    this.operands.push(...this.#args.slice(this.#at));
    this.#at = this.#args.length;
    return null;
  }

  #readLong(word: string): Problem | null {
    const equals = word.indexOf("=");
    const name = equals < 0 ? word : word.slice(0, equals);
    const joined = equals < 0 ? null : word.slice(equals + 1);
    const rule = this.#table.rules.get(name);
    if (rule !== undefined) return this.#take(name, rule, joined, word);
    return this.#readShortened(name, joined, word);
  }

  #readShortened(name: string, joined: string | null, word: string): Problem | null {
    const meant = [...this.#table.rules].filter(([long]) => long.startsWith("--") && long.startsWith(name));
    for (const [long, rule] of meant) {
      if (rule.refusal !== null) return refuseForm(`${this.#program} ${name} can mean ${long}, which ${rule.refusal}.`);
    }
    if (meant.length === 0 || this.#table.spec.longNames === "exact")
      return this.#takeUnknown(name, joined ?? "", word);
    const [only, ...others] = meant;
    if (only !== undefined && others.length === 0 && (joined !== null || typeof only[1].takes === "string"))
      return this.#take(only[0], only[1], joined, word);
    if (meant.every(([, rule]) => rule.takes === "nothing")) return null;
    // A next word would be a value for one reader and an operand, or an option, for another.
    const names = meant
      .slice(0, 3)
      .map(([long]) => long)
      .join(", ");
    return fail("invalid_args", `command: ${this.#program} ${name} is short for ${names}.`, {
      hint: "Write the option in full.",
    });
  }

  #readCluster(word: string): Problem | null {
    let isSure = true;
    for (let at = 1; at < word.length;) {
      const letter = String.fromCodePoint(word.codePointAt(at) ?? 0);
      at += letter.length;
      const rule = this.#table.rules.get(`-${letter}`);
      const rest = word.slice(at);
      if (rule === undefined) {
        // If the unknown option takes a value, what follows may be a path.
        const value = isSure ? (/[./].*/s.exec(letter + rest)?.[0] ?? "") : "";
        isSure = false;
        const problem = this.#takeUnknown(`-${letter}`, value, word);
        if (problem !== null) return problem;
        continue;
      }
      const takesRest = rule.refusal === null && rule.takes !== "nothing";
      const problem = this.#take(`-${letter}`, rule, takesRest && rest !== "" ? rest : null, word);
      if (problem !== null || takesRest) return problem;
    }
    return null;
  }

  #take(name: string, { takes, refusal }: OptionRule, joined: string | null, word: string): Problem | null {
    if (refusal !== null)
      return refuseForm(`${this.#program} ${name} ${refusal}${word === name ? "" : ` (${showWord(word)})`}.`);
    const values = joined === null ? [] : [joined];
    if (typeof takes === "string") {
      this.options.push({ name, values });
      return null;
    }
    for (const [index, kind] of takes.entries()) {
      const value = values[index] ?? this.#args[this.#at++];
      if (value === undefined) return fail("invalid_args", `command: ${this.#program} ${name} needs a value.`);
      values[index] = value;
      const paths = kind === "text" ? [] : kind === "path" ? [value] : value.split(":");
      this.paths.push(...pathWords(paths, joined === null ? value : word));
    }
    this.options.push({ name, values });
    return null;
  }

  #takeUnknown(name: string, value: string, word: string): Problem | null {
    if (this.#table.spec.unknown === "refused") {
      return refuseForm(
        `${this.#program} ${name} is not an option that Shell lets through${word === name ? "" : ` (${showWord(word)})`}.`,
      );
    }
    this.options.push({ name, values: [] });
    this.paths.push(...pathWords([value], word));
    return null;
  }
}

/** Drops `-`, which is standard input or output. */
export function pathWords(paths: readonly string[], word?: string): PathWord[] {
  return paths.filter((path) => path !== "" && path !== "-").map((path) => ({ path, word: word ?? path }));
}

export function refuseForm(message: string, hint = "Leave it out, or use Bash for it."): Problem {
  return fail("permission_denied", `command: ${message}`, { hint });
}

/** A word in a message. */
export function showWord(word: string): string {
  return /^[\w.+@%:,=/-]{1,60}$/.test(word) ? word : JSON.stringify(word.length > 60 ? `${word.slice(0, 60)}…` : word);
}
