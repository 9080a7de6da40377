// Reads one simple command into words, as bash would: quotes, backslashes, assignments. It refuses whatever would make a
// shell do more than start one program, and the message points at the character.
// Invariant: bash would read an accepted command into the same words. Nothing reads the text a second time.

import { utf8Length } from "../../shared/bytes.ts";
import { limits } from "../../shared/limits.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { ShellCharacter, ShellWord } from "./shell-word.ts";

export interface Assignment {
  readonly name: string;
  readonly value: string;
}

export interface SimpleCommand {
  readonly assignments: readonly Assignment[];
  readonly words: readonly ShellWord[];
}

export function scanCommand(text: string): Result<SimpleCommand> {
  if (utf8Length(text) > limits.commandBytes)
    return fail("invalid_args", `command: longer than ${limits.commandBytes} bytes.`, {
      hint: "Name directories or patterns instead of every file, or make several calls.",
    });
  if (!text.isWellFormed() || text.includes("\0"))
    return fail("invalid_args", "command: holds a NUL, or half of a character.", {
      hint: "Leave it out: no program can be given it.",
    });
  const scanner = new Scanner(text);
  const problem = scanner.scan();
  if (problem !== null) return refuse(text, problem); // SECURITY(T22): there is no second reading that could differ
  if (scanner.words.length === 0) {
    return fail(
      "invalid_args",
      scanner.assignments.length === 0 ? "command: is empty." : "command: sets variables, but starts nothing.",
      { hint: "Write a program and its arguments." },
    );
  }
  return ok({ assignments: scanner.assignments, words: scanner.words });
}

interface Problem {
  readonly at: number;
  readonly what: string;
  readonly hint: string;
}

const QUOTE_IT = "Put it in single quotes if it is data; to run it as a script, use Bash.";

const operators: Readonly<Record<string, string>> = {
  ";": "a `;`",
  "&": "an `&`",
  "|": "a pipe",
  "<": "a redirection",
  ">": "a redirection",
  "(": "a parenthesis",
  ")": "a parenthesis",
  "`": "a command substitution",
  "\n": "a newline",
  "\r": "a carriage return",
};

// Behind a dollar sign, bash expands these. Before any other character the sign is just a character.
const EXPANDS = /[A-Za-z0-9_{([@*#?$!-]/;

const reservedWords = new Set(
  "! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while".split(" "),
);

class Scanner {
  readonly assignments: Assignment[] = [];
  readonly words: ShellWord[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): Problem | null {
    for (;;) {
      while (this.#peek() === " " || this.#peek() === "\t") this.#at++;
      if (this.#at >= this.#text.length) return null;
      const start = this.#at;
      const word = this.#scanWord();
      if ("what" in word) return word;
      const problem = this.#take(word, start);
      if (problem !== null) return problem;
    }
  }

  #take(word: ShellWord, start: number): Problem | null {
    const bare = word.map(({ char, isQuoted }) => (isQuoted ? "\0" : char)).join("");
    if (this.words.length === 0) {
      const name = /^([A-Za-z_][A-Za-z0-9_]*)((?:\[.*?\])?\+?=)/s.exec(bare);
      if (name !== null) return this.#assign(word, start, name[1] ?? "", name[2] ?? "");
      if (reservedWords.has(bare))
        return {
          at: start,
          what: `\`${bare}\`, a word of the shell's own`,
          hint: "Write one program and its arguments; for more, use Bash.",
        };
    }
    this.words.push(word);
    return null;
  }

  #assign(word: ShellWord, start: number, name: string, operator: string): Problem | null {
    if (operator !== "=") return { at: start, what: "an assignment that is not plain", hint: "Write NAME=value." };
    const value = word.slice(name.length + 1);
    const tilde = value.findIndex(
      (character, index) =>
        character.char === "~" &&
        !character.isQuoted &&
        (index === 0 || (value[index - 1]?.char === ":" && value[index - 1]?.isQuoted === false)),
    );
    if (tilde >= 0) return { at: start, what: "a `~`, which a shell would expand", hint: "Write the path in full." };
    this.assignments.push({ name, value: value.map((character) => character.char).join("") });
    return null;
  }

  #scanWord(): ShellWord | Problem {
    const word: ShellCharacter[] = [];
    const start = this.#at;
    if (this.#peek() === "#") return { at: start, what: "a comment", hint: QUOTE_IT };
    if (this.#peek() === "~")
      return { at: start, what: "a `~`, which a shell would expand", hint: "Write the path in full, or quote it." };
    for (;;) {
      const char = this.#peek();
      if (char === undefined || char === " " || char === "\t") return word;
      const operator = operators[char];
      if (operator !== undefined) return { at: this.#at, what: operator, hint: QUOTE_IT };
      const problem = this.#scanPiece(char, word);
      if (problem !== null) return problem;
    }
  }

  #scanPiece(char: string, word: ShellCharacter[]): Problem | null {
    if (char === "'") return this.#scanSingle(word);
    if (char === '"') return this.#scanDouble(word);
    if (char === "\\") return this.#scanEscape(word);
    if (char === "$" && this.#expandsAfterDollar(`"'`)) return this.#expansion();
    word.push({ char, isQuoted: false });
    this.#at += char.length;
    return null;
  }

  #scanSingle(word: ShellCharacter[]): Problem | null {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end < 0) return { at: this.#at, what: "a single quote that is not closed", hint: "Close it." };
    this.#quote(word, this.#text.slice(this.#at + 1, end));
    this.#at = end + 1;
    return null;
  }

  #scanDouble(word: ShellCharacter[]): Problem | null {
    const start = this.#at++;
    this.#quote(word, "");
    for (;;) {
      const char = this.#peek();
      if (char === undefined) return { at: start, what: "a double quote that is not closed", hint: "Close it." };
      if (char === '"') {
        this.#at++;
        return null;
      }
      if (char === "`") return { at: this.#at, what: "a command substitution", hint: QUOTE_IT };
      if (char === "$" && this.#expandsAfterDollar("")) return this.#expansion();
      const next = this.#text[this.#at + 1];
      if (char === "\\" && next === "\n")
        return { at: this.#at, what: "a line continuation", hint: "Write it on one line." };
      const escaped = char === "\\" && next !== undefined && '$`"\\'.includes(next) ? next : null;
      this.#quote(word, escaped ?? char);
      this.#at += escaped === null ? char.length : 2;
    }
  }

  #scanEscape(word: ShellCharacter[]): Problem | null {
    const next = charAt(this.#text, this.#at + 1);
    if (next === undefined)
      return { at: this.#at, what: "a backslash with nothing after it", hint: "Quote it if it is data." };
    if (next === "\n") return { at: this.#at, what: "a line continuation", hint: "Write it on one line." };
    this.#quote(word, next);
    this.#at += 1 + next.length;
    return null;
  }

  /** An empty text leaves an empty character, because `''` is a word. */
  #quote(word: ShellCharacter[], text: string): void {
    if (text === "") word.push({ char: "", isQuoted: true });
    for (const char of text) word.push({ char, isQuoted: true });
  }

  #expandsAfterDollar(alsoBefore: string): boolean {
    const next = this.#text[this.#at + 1];
    return next !== undefined && (EXPANDS.test(next) || alsoBefore.includes(next));
  }

  #expansion(): Problem {
    const next = this.#text[this.#at + 1];
    return {
      at: this.#at,
      what: next === "(" ? "a command substitution" : "a variable or `$` expansion",
      hint: QUOTE_IT,
    };
  }

  #peek(): string | undefined {
    return charAt(this.#text, this.#at);
  }
}

function charAt(text: string, at: number): string | undefined {
  const point = text.codePointAt(at);
  return point === undefined ? undefined : String.fromCodePoint(point);
}

function refuse(text: string, { at, what, hint }: Problem): Result<never> {
  const before = text.slice(Math.max(0, at - 20), at);
  const after = text.slice(at, at + 20);
  return fail(
    "invalid_args",
    `command: ${what} at character ${at + 1}: ${JSON.stringify(`${before}⟨here⟩${after}`)}.`,
    { hint },
  );
}
