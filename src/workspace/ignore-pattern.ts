// One line of a `.gitignore`, read and matched as git does (`dir.c` and `wildmatch.c`): byte by byte, case counts.
// Invariant: a match never takes longer than text length × pattern length, because the agent can write the pattern. Libraries that
// make regular expressions of patterns cannot promise that.

import { limits } from "../shared/limits.ts";

export interface IgnorePattern {
  /** `!`: what matches is not ignored. */
  readonly isNegated: boolean;
  /** `build/`: matches directories alone. */
  readonly isForDirectories: boolean;
  /** Without a slash, the pattern is matched with the last name of the path. */
  readonly isForNames: boolean;
  matches(text: string, work: MatchWork): boolean;
}

/** Counts the steps of all matches. */
export interface MatchWork {
  steps: number;
}

/** The patterns of a file, in its order. Patterns and what they are matched with are UTF-8, one character for each byte. */
export function parseIgnoreFile(content: string): IgnorePattern[] {
  const text = content.startsWith("\xef\xbb\xbf") ? content.slice(3) : content;
  return text.split("\n").flatMap((line) => parseLine(line) ?? []);
}

function parseLine(line: string): IgnorePattern | null {
  if (line === "" || line.startsWith("#")) return null;
  const end = line.indexOf("\0");
  const written = withoutBlanksAtEnd((end < 0 ? line : line.slice(0, end)).replace(/\r$/, ""));
  const isNegated = written.startsWith("!");
  const pattern = isNegated ? written.slice(1) : written;
  const isForDirectories = pattern.endsWith("/");
  const body = isForDirectories ? pattern.slice(0, -1) : pattern;
  if (body === "") return null;
  return { isNegated, isForDirectories, isForNames: !body.includes("/"), matches: matcherOf(body) };
}

/** A blank behind a backslash stays. */
function withoutBlanksAtEnd(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === "\\") at += 1;
    else if (line[at] === " ") continue;
    end = at + 1;
  }
  return line.slice(0, end);
}

function matcherOf(body: string): IgnorePattern["matches"] {
  const pattern = body.startsWith("/") ? body.slice(1) : body;
  if (!/[*?[\\]/.test(pattern))
    return (text, work) => {
      work.steps += 1;
      return text === pattern;
    };
  const ending = pattern.slice(1);
  if (pattern.startsWith("*") && !/[*?[\\/]/.test(ending) && !body.includes("/"))
    return (text, work) => {
      work.steps += 1;
      return text.endsWith(ending);
    };
  const tokens = pattern.length > limits.pathBytes ? null : parseTokens(pattern);
  return (text, work) => tokens !== null && matchTokens(tokens, text, work);
}

type Token =
  | { readonly kind: "byte"; readonly code: number }
  /** Any byte but a slash of which this is true. */
  | { readonly kind: "class"; readonly has: (code: number) => boolean }
  | { readonly kind: "star" }
  /** Matches slashes too. Before a slash, it may stand for nothing, without that slash. */
  | { readonly kind: "globstar"; readonly skipsSlash: boolean };

const SLASH = 47;
const anyByte: Token = { kind: "class", has: () => true };

/** Null for a pattern that matches nothing: a class that is not closed, a backslash at the end. */
function parseTokens(pattern: string): readonly Token[] | null {
  const tokens: Token[] = [];
  // git compares what stands before the first special character by itself, and takes the rest for a pattern of its own.
  const start = pattern.search(/[*?[\\]/);
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === "?") tokens.push(anyByte);
    else if (char === "*") {
      const from = at;
      while (pattern[at + 1] === "*") at += 1;
      const next = pattern.slice(at + 1, at + 3);
      const isWhole = at > from && (from === start || pattern[from - 1] === "/") && /^(?:$|\/|\\\/)/.test(next);
      tokens.push(isWhole ? { kind: "globstar", skipsSlash: next.startsWith("/") } : { kind: "star" });
    } else if (char === "[") {
      const found = parseClass(pattern, at + 1);
      if (found === null) return null;
      tokens.push({ kind: "class", has: found.has });
      at = found.end;
    } else {
      if (char === "\\") at += 1;
      if (at >= pattern.length) return null;
      tokens.push({ kind: "byte", code: pattern.charCodeAt(at) });
    }
  }
  return tokens;
}

const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // oxlint-disable-next-line no-control-regex
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t\n\r ]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** `start` is the index after `[`. A range also has its first character, so `[z-a]` is `z`. */
function parseClass(pattern: string, start: number): { has: (code: number) => boolean; end: number } | null {
  const isNegated = pattern[start] === "!" || pattern[start] === "^";
  const members = new Uint32Array(8); // a bit for each byte: a file may have many classes
  const add = (code: number) => {
    members[code >> 5] = (members[code >> 5] ?? 0) | (1 << (code & 31));
  };
  let before = -1; // what a range begins with
  let at = isNegated ? start + 1 : start;
  do {
    let code = pattern.charCodeAt(at);
    const name = /^\[:([^\]]*):\]/.exec(pattern.slice(at, at + 16));
    if (at >= pattern.length) return null;
    if (pattern[at] === "-" && before >= 0 && at + 1 < pattern.length && pattern[at + 1] !== "]") {
      at += pattern[at + 1] === "\\" ? 2 : 1;
      if (at >= pattern.length) return null;
      for (let one = before; one <= pattern.charCodeAt(at); one += 1) add(one);
      code = -1;
    } else if (name !== null) {
      const test = classes[name[1] ?? ""];
      if (test === undefined) return null;
      for (let one = 0; one < 128; one += 1) if (test.test(String.fromCharCode(one))) add(one);
      at += name[0].length - 1;
      code = -1;
    } else {
      if (pattern[at] === "\\") code = pattern.charCodeAt((at += 1));
      if (at >= pattern.length) return null;
      add(code);
    }
    before = code;
    at += 1;
  } while (pattern[at] !== "]");
  return { has: (code) => (((members[code >> 5] ?? 0) >>> (code & 31)) & 1) !== (isNegated ? 1 : 0), end: at };
}

/** Follows all ways through the pattern at once. */
function matchTokens(tokens: readonly Token[], text: string, work: MatchWork): boolean {
  const ways = new Ways(tokens);
  ways.enter(0);
  for (let at = 0; at < text.length; at += 1) {
    const states = ways.next();
    if (states.length === 0) return false;
    work.steps += states.length;
    const code = text.charCodeAt(at);
    for (const state of states) {
      const token = tokens[state];
      if (token === undefined) continue;
      if (token.kind === "globstar" || (token.kind === "star" && code !== SLASH)) ways.stay(state);
      else if (token.kind === "byte" && token.code === code) ways.enter(state + 1);
      else if (token.kind === "class" && code !== SLASH && token.has(code)) ways.enter(state + 1);
    }
  }
  return ways.next().includes(tokens.length);
}

/** The tokens that the next character may be matched with. */
class Ways {
  readonly #tokens: readonly Token[];
  /** The turn in which each state was entered last. */
  readonly #entered: Uint32Array;
  readonly #skipped: Uint32Array;
  #turn = 1;
  #states: number[] = [];

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#entered = new Uint32Array(tokens.length + 1);
    this.#skipped = new Uint32Array(tokens.length + 1);
  }

  /** The states that were entered since the last turn. */
  next(): readonly number[] {
    const states = this.#states;
    this.#states = [];
    this.#turn += 1;
    return states;
  }

  /** Enters a state, and those that are reached from it without a character. */
  enter(state: number): void {
    const token = this.#tokens[state];
    if (token?.kind === "globstar" && token.skipsSlash && this.#skipped[state] !== this.#turn) {
      this.#skipped[state] = this.#turn;
      this.enter(state + 2);
    }
    this.stay(state);
  }

  /** The same for a star that has matched a character: it can no longer stand for nothing. */
  stay(state: number): void {
    if (this.#entered[state] === this.#turn) return;
    this.#entered[state] = this.#turn;
    this.#states.push(state);
    const kind = this.#tokens[state]?.kind;
    if (kind === "star" || kind === "globstar") this.enter(state + 1);
  }
}
