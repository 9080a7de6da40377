// Reads sed scripts, as GNU sed does, to see whether they only edit and print.
// Invariant: a script without a problem holds no command or flag that runs a program (e), or writes (w, W) or reads a file
// (r, R). A script that cannot be read with certainty is a problem.

import { findRegexEnd } from "./regex-end.ts";

/** What the script does beyond editing and printing, or why it cannot be read; null: nothing. */
export function findSedProblem(script: string): string | null {
  return new SedReader(script).findProblem();
}

/** The command lines that the script runs; null for one that only the run will know, or for what cannot be read. */
export function findSedCommands(script: string): (string | null)[] {
  const runs: (string | null)[] = [];
  return new SedReader(script, runs).findProblem() === null ? runs : [...runs, null];
}

type Problem = string | null;

const refusedCommands: Readonly<Record<string, string>> = {
  e: "the command e runs a program",
  w: "the command w writes a file",
  W: "the command W writes a file",
  r: "the command r reads another file",
  R: "the command R reads another file",
};

class SedReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  /** Gathers the commands that the script runs, and ignores files. null: whatever goes beyond editing is a problem. */
  readonly #runs: (string | null)[] | null;

  constructor(text: string, runs: (string | null)[] | null = null) {
    this.#text = text;
    this.#runs = runs;
  }

  findProblem(): Problem {
    for (;;) {
      this.#skip(/[;\s]/);
      if (this.#peek() === undefined) return this.#depth === 0 ? null : "a { is not closed";
      const problem = this.#readCommand();
      if (problem !== null) return problem;
    }
  }

  #readCommand(): Problem {
    const start = this.#at;
    const problem = this.#readAddresses();
    if (problem !== null) return problem;
    const hasAddress = this.#at > start;
    if (this.#peek() === "!") {
      this.#at++;
      this.#skipBlanks();
    }
    const command = this.#text[this.#at++];
    if (command === undefined) return "a command is missing at the end";
    const why = refusedCommands[command];
    if (why !== undefined) return this.#runs === null ? why : this.#takeLine(command === "e" ? this.#runs : null);
    if ("=dDFgGhHnNpPxz".includes(command)) return this.#readEnd();
    if ("lqQ".includes(command)) return this.#readNumber() ?? this.#readEnd();
    if ("aic".includes(command)) return this.#readText();
    if (":btT".includes(command)) return this.#readLabel(command, hasAddress);
    if (command === "s") return this.#readSubstitution();
    if (command === "y") return this.#readPair(false) ?? this.#readEnd();
    if (command === "{") return this.#open();
    if (command === "}" && !hasAddress) return this.#close();
    if (command === "#" && !hasAddress) return this.#skip(/[^\n]/);
    return this.#unreadable(this.#at - 1);
  }

  /** Takes a command, or the name of a file, up to the end of its line. */
  #takeLine(runs: (string | null)[] | null): null {
    const start = this.#at;
    this.#skip(/[^\n]/);
    const line = this.#text.slice(start, this.#at).trim();
    runs?.push(line === "" ? null : line);
    return null;
  }

  #open(): null {
    this.#depth++;
    return null;
  }

  #close(): Problem {
    return --this.#depth < 0 ? "a } closes nothing" : this.#readEnd();
  }

  #readAddresses(): Problem {
    const first = this.#readAddress(false);
    if (first !== true) return first === false ? null : first;
    this.#skipBlanks();
    if (this.#peek() !== ",") return null;
    this.#at++;
    this.#skipBlanks();
    const second = this.#readAddress(true);
    this.#skipBlanks();
    if (second === true) return null;
    return second === false ? this.#unreadable(this.#at) : second;
  }

  /** true: an address was read. false: there is none. A text: what is wrong with it. */
  #readAddress(isSecond: boolean): boolean | string {
    const char = this.#peek() ?? "";
    if (/\d/.test(char) || (isSecond && "+~".includes(char) && char !== "")) {
      this.#at++;
      this.#skip(/[\d \t]/);
      if (this.#peek() === "~") {
        this.#at++;
        this.#skip(/[\d \t]/);
      }
      return true;
    }
    if (char === "$") {
      this.#at++;
      return true;
    }
    if (char !== "/" && char !== "\\") return false;
    if (char === "\\") this.#at++;
    const problem = this.#readDelimited(this.#text[this.#at++], true);
    this.#skip(/[IM \t]/);
    return problem ?? true;
  }

  #readSubstitution(): Problem {
    const problem = this.#readPair(true);
    if (problem !== null) return problem;
    for (;;) {
      const flag = this.#peek();
      if (flag === "e" && this.#runs === null) return "the flag e of s runs a program";
      if (flag === "w" && this.#runs === null) return "the flag w of s writes a file";
      if (flag === "e") this.#runs?.push(null);
      if (flag === "w") return this.#takeLine(null);
      if (flag === undefined || !/[gpiImMe0-9 \t]/.test(flag)) return this.#readEnd();
      this.#at++;
    }
  }

  #readPair(isRegex: boolean): Problem {
    const delimiter = this.#text[this.#at++];
    return this.#readDelimited(delimiter, isRegex) ?? this.#readDelimited(delimiter, false);
  }

  #readDelimited(delimiter: string | undefined, isRegex: boolean): Problem {
    if (delimiter === undefined || !/^[!-~]$/.test(delimiter) || /[\w\\[\]]/.test(delimiter))
      return this.#unreadable(this.#at - 1);
    const end = isRegex ? findRegexEnd(this.#text, this.#at, delimiter) : this.#findPlainEnd(delimiter);
    if (end === null)
      return `it is not certain where ${JSON.stringify(this.#text.slice(this.#at - 1, this.#at + 20))} ends`;
    this.#at = end + 1;
    return null;
  }

  #findPlainEnd(delimiter: string): number | null {
    for (let at = this.#at; at < this.#text.length; at++) {
      if (this.#text[at] === delimiter) return at;
      if (this.#text[at] === "\n") return null;
      if (this.#text[at] === "\\") at++;
    }
    return null;
  }

  /** The text of a, i and c: to the end of the line; a backslash at its end continues it. */
  #readText(): Problem {
    this.#skipBlanks();
    if (this.#peek() === "\\") {
      this.#at++;
      if (this.#peek() === "\n") this.#at++;
      else {
        this.#skipBlanks();
        // Versions differ in whether the text ends here or on the next line.
        if ("\\\n".includes(this.#peek() ?? "\n")) return this.#unreadable(this.#at - 1);
      }
    } else if ("\n".includes(this.#peek() ?? "\n")) return "a, i or c has no text";
    while (this.#peek() !== undefined && this.#peek() !== "\n") this.#at += this.#peek() === "\\" ? 2 : 1;
    return null;
  }

  #readLabel(command: string, hasAddress: boolean): Problem {
    if (command === ":" && hasAddress) return "a label takes no address";
    this.#skipBlanks();
    const start = this.#at;
    this.#skip(/[\w.-]/);
    if (command === ":" && (this.#at === start || this.#peek() === "}")) return this.#unreadable(start);
    return this.#readEnd();
  }

  #readNumber(): null {
    this.#skipBlanks();
    return this.#skip(/\d/);
  }

  #readEnd(): Problem {
    this.#skipBlanks();
    const char = this.#peek();
    if (char === ";" || char === "\n") this.#at++;
    else if (char !== undefined && char !== "}" && char !== "#") return this.#unreadable(this.#at);
    return null;
  }

  #unreadable(at: number): string {
    return `its script cannot be read from ${JSON.stringify(this.#text.slice(at, at + 20))} on`;
  }

  #skipBlanks(): void {
    this.#skip(/[ \t]/);
  }

  #skip(chars: RegExp): null {
    while (chars.test(this.#peek() ?? "")) this.#at++;
    return null;
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }
}
