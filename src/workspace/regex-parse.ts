// Parses a regular expression into a tree. It supports the part of JavaScript's syntax that a finite automaton can match. JavaScript's
// own RegExp tests single characters (`a`, `\d`, `[^x-z]`, `\p{L}`). Lookaround and back references are not supported, because with
// them matching could take more than linear time.

import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";

export type RegexNode =
  | CharacterNode
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly parts: readonly RegexNode[] }
  | { readonly kind: "choice"; readonly parts: readonly RegexNode[] }
  | { readonly kind: "repeat"; readonly part: RegexNode; readonly min: number; readonly max: number };

export interface CharacterNode {
  readonly kind: "character";
  readonly test: RegExp;
  readonly source: string;
  /** The only character that matches. Null if there are several. */
  readonly only: string | null;
}

export type Assertion = "line-start" | "line-end" | "word-edge" | "no-word-edge";

const DEPTH = 100;
const COUNT = 1_000;

/** `^` and `$` match the ends of a line, and `.` any character in it. `(?i)` at the beginning ignores case. */
export function parseRegex(pattern: string): Result<RegexNode> {
  if (pattern === "") return refused(pattern, "is empty");
  if (pattern.length > limits.searchPatternCharacters)
    return refused(pattern, `is longer than ${limits.searchPatternCharacters} characters`);
  if (!pattern.isWellFormed()) return refused(pattern, "holds half of a character");
  const ignoreCase = pattern.startsWith("(?i)");
  const parser = new Parser([...(ignoreCase ? pattern.slice(4) : pattern)], ignoreCase ? "ui" : "u");
  try {
    return ok(parser.parse());
  } catch (error) {
    if (error instanceof Problem) return refused(pattern, error.message);
    throw error;
  }
}

class Problem extends Error {}

function refused(pattern: string, problem: string): Result<never> {
  return fail("invalid_args", `pattern: ${JSON.stringify(pattern.slice(0, 120))} ${problem}.`, {
    hint: "A regular expression with . [] () | * + ? {n,m} ^ $ \\b \\d \\w \\s and (?i) at its beginning. A \\ before a sign takes it as it is.",
  });
}

class Parser {
  readonly #text: readonly string[];
  readonly #flags: string;
  readonly #tests = new Map<string, RegExp>();
  #at = 0;
  #depth = 0;

  constructor(text: readonly string[], flags: string) {
    this.#text = text;
    this.#flags = flags;
  }

  parse(): RegexNode {
    const node = this.#choice();
    if (this.#at < this.#text.length) throw new Problem("closes a group that was not opened");
    return node;
  }

  #choice(): RegexNode {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return parts.length === 1 ? (parts[0] as RegexNode) : { kind: "choice", parts };
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = [];
    while (this.#at < this.#text.length && this.#text[this.#at] !== "|" && this.#text[this.#at] !== ")")
      parts.push(this.#repeated());
    return { kind: "sequence", parts };
  }

  #repeated(): RegexNode {
    const part = this.#single();
    const count = this.#count();
    if (count === undefined) return part;
    if (part.kind === "assertion") throw new Problem("repeats a place, which has no length");
    this.#take("?"); // a lazy quantifier: whether a line matches does not depend on it
    if (this.#count() !== undefined) throw new Problem("repeats a repeat; put it in a group");
    return { kind: "repeat", part, ...count };
  }

  #count(): { min: number; max: number } | undefined {
    if (this.#take("*")) return { min: 0, max: Infinity };
    if (this.#take("+")) return { min: 1, max: Infinity };
    if (this.#take("?")) return { min: 0, max: 1 };
    const found = /^\{(\d{1,9})(?:(,)(\d{1,9})?)?\}/.exec(this.#ahead(24));
    if (found === null) return undefined; // a brace without a count is an ordinary character
    this.#at += found[0].length;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === undefined ? Infinity : Number(found[3]);
    if (min > COUNT || (max > COUNT && max !== Infinity)) throw new Problem(`counts further than ${COUNT}`);
    if (max < min) throw new Problem("counts from more to less");
    return { min, max };
  }

  #single(): RegexNode {
    const character = this.#text[this.#at] as string;
    this.#at += 1;
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\":
        return this.#escape();
      case ".":
        return this.#character("[^\\n]");
      case "^":
        return { kind: "assertion", assertion: "line-start" };
      case "$":
        return { kind: "assertion", assertion: "line-end" };
      case "*":
      case "+":
      case "?":
        throw new Problem(`has a ${character} with nothing before it; write \\${character} for the sign itself`);
      case "\n":
        throw oneLine();
      default:
        return this.#plain(character);
    }
  }

  #group(): RegexNode {
    if (this.#take("?")) this.#groupKind();
    this.#depth += 1;
    if (this.#depth > DEPTH) throw new Problem(`has groups more than ${DEPTH} deep`);
    const node = this.#choice();
    this.#depth -= 1;
    if (!this.#take(")")) throw new Problem("opens a group that it does not close");
    return node;
  }

  #groupKind(): void {
    const found = /^(?::|P?<[A-Za-z_]\w*>)/.exec(this.#ahead(80));
    if (found !== null) {
      this.#at += found[0].length;
      return;
    }
    if (/^<?[=!]/.test(this.#ahead(2))) throw new Problem("looks ahead or behind, which a search does not support");
    if (/^[a-z-]+[):]/.test(this.#ahead(12))) throw new Problem("has flags other than (?i) at its beginning");
    throw new Problem("has a kind of group that a search does not support");
  }

  #escape(): RegexNode {
    const next = this.#text[this.#at];
    if (next === "b" || next === "B") {
      this.#at += 1;
      return { kind: "assertion", assertion: next === "b" ? "word-edge" : "no-word-edge" };
    }
    if (next !== undefined && /[1-9k]/.test(next))
      throw new Problem("refers back to a group, which a search does not support");
    if (next === "n") throw oneLine();
    return next === undefined || /[A-Za-z\d]/.test(next) ? this.#character(this.#escaped()) : this.#plain(this.#skip());
  }

  /** Parses what follows a backslash. Letters and digits mean what they mean in JavaScript; any other character means itself. */
  #escaped(): string {
    const next = this.#text[this.#at];
    if (next === undefined) throw new Problem("ends with a backslash");
    const known = /^(?:[pP]\{[^}]{0,60}\}|u\{[^}]{0,8}\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[A-Za-z\d])/.exec(
      this.#ahead(70),
    );
    this.#at += known === null ? 1 : known[0].length;
    return known === null ? plain(next) : `\\${known[0]}`;
  }

  /** The first `]` ends the class, as in JavaScript: `[]` matches nothing and `[^]` anything. */
  #class(): RegexNode {
    let source = this.#take("^") ? "[^" : "[";
    let isSet = true; // the previous member is a class such as `\w`, or there is none, so no range can begin with it
    while (!this.#take("]")) {
      const character = this.#text[this.#at];
      if (character === undefined) throw new Problem("opens a [ that it does not close");
      if (/^\[[:.=]/.test(this.#ahead(2))) throw new Problem("has a class such as [:alpha:]; write \\p{L} or a-z");
      this.#at += 1;
      const isDash = character === "-" && (isSet || /^(?:\]|\\[dDwWsSpP])/.test(this.#ahead(2)));
      const member = character === "\\" ? this.#escaped() : character === "-" && !isDash ? "-" : plain(character);
      isSet = /^\\[dDwWsSpP]/.test(member);
      source += member;
    }
    return this.#character(`${source}]`);
  }

  #plain(character: string): CharacterNode {
    return { ...this.#character(plain(character)), only: this.#flags.includes("i") ? null : character };
  }

  #character(source: string): CharacterNode {
    let test = this.#tests.get(source);
    if (test === undefined) {
      try {
        test = new RegExp(`^${source}$`, this.#flags);
      } catch {
        throw new Problem(`has ${source}, which is not a character or a class of them`);
      }
      this.#tests.set(source, test);
    }
    return { kind: "character", test, source, only: null };
  }

  #skip(): string {
    this.#at += 1;
    return this.#text[this.#at - 1] as string;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #ahead(count: number): string {
    return this.#text.slice(this.#at, this.#at + count).join("");
  }
}

function oneLine(): Problem {
  return new Problem("asks for a line feed, but a search looks at one line at a time");
}

/** Escapes a character so that it matches itself, inside or outside a class. */
function plain(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}
