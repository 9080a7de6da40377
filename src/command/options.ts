// Reads the options of one program as GNU's getopt does: `--name=value`, `--name value`, shortened names, `-abc` for
// `-a -b -c`, `-ovalue`, `--` as the end, options after operands.
// Invariant: a spelling that the program could take for a refused option is refused; a word is a value only where the
// table says that the option takes one, so that nothing hides behind an option that nobody knows.

import { fail, ok, type Result } from "../shared/result.ts";

/** A path as it is written, and the whole word it stands in. */
export interface PathWord {
  readonly path: string;
  readonly word: string;
}

/** Names stand in one string, with their dashes: `"-k --key"`. */
export interface OptionSpec {
  readonly switches?: string;
  /** Take a value: joined, or the next word. */
  readonly values?: string;
  /** Take a value only when it is joined: `--color=auto`. */
  readonly optional?: string;
  /** Take a value that is a path. */
  readonly paths?: string;
  /** Take paths with colons between them. */
  readonly pathLists?: string;
  /** Take the next two words: a name and a text, or a name and a path. */
  readonly nameAndText?: string;
  readonly nameAndPath?: string;
  /** By name, what the option does that Shell does not: "writes a file". */
  readonly refused?: Readonly<Record<string, string>>;
  /** "refused": an option that is not written here is refused, too. */
  readonly unknown?: "refused";
  /** "exact": the program does not take shortened long names. */
  readonly longNames?: "exact";
  /** "before operands": the first operand ends the options. */
  readonly stand?: "before operands";
}

type ValueKind = "text" | "path" | "path list";
type Rule =
  | { readonly takes: "nothing" }
  | { readonly takes: "joined value" }
  | { readonly takes: "values"; readonly values: readonly ValueKind[] }
  | { readonly takes: "refusal"; readonly why: string };

export interface OptionTable {
  readonly rules: ReadonlyMap<string, Rule>;
  readonly spec: OptionSpec;
}

export interface ReadOption {
  readonly name: string;
  readonly values: readonly string[];
}

export interface OptionWords {
  readonly options: readonly ReadOption[];
  readonly operands: readonly string[];
  /** The paths among the options' values. */
  readonly paths: readonly PathWord[];
  /** Where `--` stands; null without one. */
  readonly endMark: number | null;
}

export function compileOptions(spec: OptionSpec): OptionTable {
  const rules = new Map<string, Rule>();
  const add = (names: string | undefined, rule: Rule): void => {
    for (const name of (names ?? "").split(/\s+/).filter((part) => part !== "")) {
      if (rules.has(name) || !/^-([^-]|-[^=]+)$/u.test(name))
        throw new Error(`The option ${name} stands twice, or is none.`);
      rules.set(name, rule);
    }
  };
  add(spec.switches, { takes: "nothing" });
  add(spec.optional, { takes: "joined value" });
  add(spec.values, { takes: "values", values: ["text"] });
  add(spec.paths, { takes: "values", values: ["path"] });
  add(spec.pathLists, { takes: "values", values: ["path list"] });
  add(spec.nameAndText, { takes: "values", values: ["text", "text"] });
  add(spec.nameAndPath, { takes: "values", values: ["text", "path"] });
  for (const [names, why] of Object.entries(spec.refused ?? {})) add(names, { takes: "refusal", why });
  return { rules, spec };
}

export function readOptions(program: string, args: readonly string[], table: OptionTable): Result<OptionWords> {
  const reader = new OptionReader(program, args, table);
  const problem = reader.read();
  return problem ?? ok(reader);
}

type Problem = ReturnType<typeof fail>;

class OptionReader implements OptionWords {
  readonly options: ReadOption[] = [];
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
      const word = this.#args[this.#at++] as string;
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
      if (rule.takes === "refusal") return refuseForm(`${this.#program} ${name} can mean ${long}, which ${rule.why}.`);
    }
    if (meant.length === 0 || this.#table.spec.longNames === "exact")
      return this.#takeUnknown(name, joined ?? "", word);
    const [first] = meant as [[string, Rule], ...unknown[]];
    if (meant.length === 1 && (joined !== null || first[1].takes !== "values"))
      return this.#take(first[0], first[1], joined, word);
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
      const letter = String.fromCodePoint(word.codePointAt(at) as number);
      at += letter.length;
      const rule = this.#table.rules.get(`-${letter}`);
      const rest = word.slice(at);
      if (rule === undefined) {
        // Where it, or the one before it, takes a value after all, that may be a path.
        const value = isSure ? (/[./].*/s.exec(letter + rest)?.[0] ?? "") : "";
        isSure = false;
        const problem = this.#takeUnknown(`-${letter}`, value, word);
        if (problem !== null) return problem;
        continue;
      }
      const takesRest = rule.takes === "values" || rule.takes === "joined value";
      const problem = this.#take(`-${letter}`, rule, takesRest && rest !== "" ? rest : null, word);
      if (problem !== null || takesRest) return problem;
    }
    return null;
  }

  #take(name: string, rule: Rule, joined: string | null, word: string): Problem | null {
    switch (rule.takes) {
      case "refusal":
        return refuseForm(`${this.#program} ${name} ${rule.why}${word === name ? "" : ` (${showWord(word)})`}.`);
      case "nothing":
      case "joined value":
        this.options.push({ name, values: joined === null ? [] : [joined] });
        return null;
      case "values": {
        const values = joined === null ? [] : [joined];
        while (values.length < rule.values.length && this.#at < this.#args.length)
          values.push(this.#args[this.#at++] as string);
        if (values.length < rule.values.length)
          return fail("invalid_args", `command: ${this.#program} ${name} needs a value.`);
        this.options.push({ name, values });
        for (const [index, kind] of rule.values.entries())
          this.#takePaths(kind, values[index] as string, joined === null ? null : word);
        return null;
      }
    }
  }

  #takePaths(kind: ValueKind, value: string, word: string | null): void {
    if (kind === "text") return;
    const paths = kind === "path" ? [value] : value.split(":");
    this.paths.push(...pathWords(paths, word ?? value));
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

/** `-` is standard input, or output. */
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
