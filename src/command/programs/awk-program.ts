// Reads the tokens of awk programs to see whether they only compute and print. Where mawk, gawk and others would read a
// token differently, that is a problem.
// Invariant: a program without a problem holds no `|`, no getline, no system, no `@`, and no `>` behind a print outside of
// parentheses. All forms of getline are a problem, because the run decides what it reads.

import { findRegexEnd } from "./regex-end.ts";

/** What the program does beyond computing and printing, or why it cannot be read; null: nothing. */
export function findAwkProblem(program: string): string | null {
  return new AwkReader(program).findProblem();
}

type Problem = string | null;

/** What a `/` behind this token begins: a regular expression, or a division; or awks disagree. */
type Slash = "regex" | "division" | "unclear";

const refusedWords: ReadonlyMap<string, string> = new Map([
  ["getline", "getline reads files or runs programs"],
  ["system", "system() runs a program"],
]);
const control = new Set(["if", "while", "for", "switch"]);
const beforeRegex = new Set(["print", "printf", "return"]);
// Behind `length` mawk reads a regular expression and gawk a division.
const unclearWords = new Set(
  "BEGIN BEGINFILE END ENDFILE break case continue default delete do else exit func function in length next nextfile".split(
    " ",
  ),
);

const number = /(?:0[xX][0-9A-Fa-f]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?![A-Za-z0-9_.])/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const string = /"(?:[^"\\\n]|\\[^])*"/y;
const comment = /#[^\n]*/y;
const operator = /\*\*=|[-+*%^=!<>]=|!~|&&|\|\||\+\+|--|\*\*|[-+*%^=!<>~?:,$]/y;

class AwkReader {
  readonly #text: string;
  #at = 0;
  #slash: Slash = "regex";
  /** For each open parenthesis, whether it belongs to an if, while, for or switch. */
  readonly #parens: boolean[] = [];
  #isControlNext = false;
  #isPrinting = false;
  /** Whether the last token can end a statement. */
  #canEnd = false;

  constructor(text: string) {
    this.#text = text;
  }

  findProblem(): Problem {
    while (this.#at < this.#text.length) {
      const problem = this.#readToken(this.#text[this.#at] ?? "");
      if (problem !== null) return problem;
    }
    return null;
  }

  #readToken(char: string): Problem {
    if (char === " " || char === "\t") return this.#step(1);
    if (this.#text.startsWith("\\\n", this.#at)) return this.#step(2);
    if (char === "#") return this.#readComment();
    if (char === "\n") return this.#endLine();
    if (char === "/") return this.#readSlash();
    if (char === '"') return this.#readMatch(string) === null ? this.#unreadable() : this.#after("division", true);
    if (/[A-Za-z_]/.test(char)) return this.#readWord();
    if (/[\d.]/.test(char))
      return this.#readMatch(number) === null ? this.#unreadable() : this.#after("division", true);
    if ("()[]{};".includes(char)) return this.#readBracket(char);
    return this.#readOperator(char);
  }

  #readComment(): Problem {
    return this.#readMatch(comment)?.endsWith("\\") === true ? "a comment ends in a backslash" : null;
  }

  #endLine(): Problem {
    if (this.#canEnd && this.#parens.length === 0) this.#isPrinting = false;
    this.#at++;
    return this.#after("regex", this.#canEnd);
  }

  #readSlash(): Problem {
    if (this.#slash === "unclear") return `it is not certain whether ${this.#shown()} is a division`;
    if (this.#slash === "division") {
      this.#at += this.#text[this.#at + 1] === "=" ? 2 : 1;
      return this.#after("unclear", false);
    }
    const end = this.#text[this.#at + 1] === "=" ? null : findRegexEnd(this.#text, this.#at + 1, "/");
    if (end === null) return `it is not certain where the regular expression ${this.#shown()} ends`;
    this.#at = end + 1;
    return this.#after("division", true);
  }

  #readWord(): Problem {
    const name = this.#readMatch(word) ?? "";
    const why = refusedWords.get(name);
    if (why !== undefined) return why;
    if (this.#text.startsWith("::", this.#at)) return this.#unreadable();
    if (name === "print" || name === "printf") {
      if (this.#parens.length > 0) return this.#unreadable();
      this.#isPrinting = true;
    }
    const problem = this.#after(
      beforeRegex.has(name) ? "regex" : unclearWords.has(name) ? "unclear" : "division",
      true,
    );
    this.#isControlNext = control.has(name);
    return problem;
  }

  #readBracket(char: string): Problem {
    const wasControl = this.#isControlNext;
    this.#at++;
    if (char === "(") {
      this.#parens.push(wasControl);
      return this.#after("regex", false);
    }
    if (char === ")") {
      const isControl = this.#parens.pop();
      if (isControl === undefined) return this.#unreadable();
      return this.#after(isControl ? "unclear" : "division", true);
    }
    if (char === "[") return this.#after("unclear", false);
    if (char === "]") return this.#after("division", true);
    if ((char !== ";" || this.#isPrinting) && this.#parens.length > 0) return this.#unreadable();
    this.#isPrinting = false;
    return this.#after("regex", true);
  }

  #readOperator(char: string): Problem {
    if (char === "@") return "@ loads or calls what is not written in it";
    if (char === "|" && this.#text[this.#at + 1] !== "|") return "| starts a program";
    if (char === ">" && this.#text[this.#at + 1] === ">") return ">> writes a file";
    if (char === ">" && this.#isPrinting && this.#parens.length === 0) return "print with > writes a file";
    const found = this.#readMatch(operator);
    if (found === null) return this.#unreadable();
    if (found === "++" || found === "--") return this.#after("unclear", true);
    return this.#after(/^[-+*%^$]/.test(found) && !found.endsWith("=") ? "unclear" : "regex", false);
  }

  #after(slash: Slash, canEnd: boolean): null {
    this.#slash = slash;
    this.#canEnd = canEnd;
    this.#isControlNext = false;
    return null;
  }

  #readMatch(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }

  #step(length: number): null {
    this.#at += length;
    return null;
  }

  #unreadable(): string {
    return `its program cannot be read from ${this.#shown()} on`;
  }

  #shown(): string {
    return JSON.stringify(this.#text.slice(this.#at, this.#at + 20));
  }
}
