// Compiles the tree of a regular expression to the instructions of Thompson's automaton, in which one instruction can have several
// successors.

import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { Assertion, RegexNode } from "./regex-parse.ts";

export type Instruction =
  | { readonly kind: "character"; readonly atom: number; next: number }
  | { readonly kind: "assertion"; readonly assertion: Assertion; next: number }
  | { readonly kind: "split"; readonly next: number[] }
  | { readonly kind: "match" };

export interface RegexProgram {
  readonly instructions: readonly Instruction[];
  /** The tests for single characters, each one once. */
  readonly atoms: readonly RegExp[];
  readonly start: number;
}

export function compileRegex(node: RegexNode): Result<RegexProgram> {
  const compiler = new Compiler();
  try {
    const match = compiler.add({ kind: "match" });
    const start = compiler.compile(node, match);
    return ok({ instructions: compiler.instructions, atoms: compiler.atoms, start });
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return fail("invalid_args", "pattern: is too large once its counted repeats are written out.", {
      hint: "Use * or +, or smaller counts.",
    });
  }
}

class TooLarge extends Error {}

class Compiler {
  readonly instructions: Instruction[] = [];
  readonly atoms: RegExp[] = [];
  readonly #atomOf = new Map<string, number>();

  add(instruction: Instruction): number {
    if (this.instructions.length >= limits.searchProgramSize) throw new TooLarge();
    return this.instructions.push(instruction) - 1;
  }

  /** Returns the first instruction of the node, which continues at `next`. Compiles from the end, so that every target is known. */
  compile(node: RegexNode, next: number): number {
    switch (node.kind) {
      case "character":
        return this.add({ kind: "character", atom: this.#atom(node.source, node.test), next });
      case "assertion":
        return this.add({ kind: "assertion", assertion: node.assertion, next });
      case "sequence":
        return node.parts.reduceRight((after, part) => this.compile(part, after), next);
      case "choice":
        return this.add({ kind: "split", next: node.parts.map((part) => this.compile(part, next)) });
      case "repeat":
        return this.#repeat(node.part, node.min, node.max, next);
    }
  }

  #repeat(part: RegexNode, min: number, max: number, next: number): number {
    let start = next;
    if (max === Infinity) {
      const ways = [next];
      start = this.add({ kind: "split", next: ways });
      ways.push(this.compile(part, start));
    } else {
      for (let count = min; count < max; count += 1)
        start = this.add({ kind: "split", next: [next, this.compile(part, start)] });
    }
    for (let count = 0; count < min; count += 1) start = this.compile(part, start);
    return start;
  }

  #atom(source: string, test: RegExp): number {
    const known = this.#atomOf.get(source);
    if (known !== undefined) return known;
    this.#atomOf.set(source, this.atoms.length);
    return this.atoms.push(test) - 1;
  }
}
