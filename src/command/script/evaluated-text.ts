// Text that is no command where it stands, but that bash may evaluate later. bash runs substitutions in subscripts (in
// arithmetic, `unset`, `read`, `[[ -v`) and in prompts (`${x@P}`). A script that holds both such a text and something that
// evaluates it runs something unknown.

import type { SyntaxNode } from "unbash";
import type { CommandWord } from "../words/command-word.ts";

const substitution = /\$[({]|`/;
const subscript = /\[[^]*(?:\$[({]|`)/;
const numberTests = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;
/** Builtins that take a variable's name, and with it a subscript. */
const naming = new Set(
  "declare typeset local export readonly unset read printf test [ mapfile readarray getopts wait".split(" "),
);
const declaring = new Set("declare typeset local export readonly".split(" "));
const MOST_TEXTS = 50;
const evaluating = new Set("let compgen complete".split(" "));
/** bash runs or expands their values by itself. */
export const evaluatedVariables: ReadonlySet<string> = new Set([
  "PROMPT_COMMAND",
  "BASH_ENV",
  "ENV",
  "PS0",
  "PS1",
  "PS2",
  "PS4",
]);

export class EvaluatedText {
  #hasSubstitution = false;
  #hasSubscript = false;
  #isPrompted = false;
  #isEvaluated = false;
  /** The texts that hold a substitution. */
  readonly #texts: Set<string>;

  /** A shell gets the variables of the shell that starts it, and so its texts. */
  constructor(outer?: EvaluatedText) {
    this.#texts = new Set(outer === undefined ? [] : outer.#texts);
    for (const text of this.#texts) this.seeText(text);
  }

  get mayRun(): boolean {
    return (this.#hasSubstitution && this.#isPrompted) || (this.#hasSubscript && this.#isEvaluated);
  }

  /** The texts that may run. */
  get texts(): readonly string[] {
    return this.mayRun ? [...this.#texts].filter((text) => this.#isPrompted || subscript.test(text)) : [];
  }

  seeText(text: string): void {
    if (!substitution.test(text)) return;
    if (this.#texts.size < MOST_TEXTS) this.#texts.add(text);
    this.#hasSubstitution = true;
    this.#hasSubscript ||= subscript.test(text);
  }

  seeTextOf(node: SyntaxNode): void {
    if (node.type === "Literal" || node.type === "SingleQuoted" || node.type === "AnsiCQuoted")
      this.seeText(node.value);
    else if (node.type === "Word" && node.parts === undefined) this.seeText(node.value);
    else if (node.type === "HereDocBody" && node.parts === undefined) this.seeText(node.text);
  }

  seeBuiltin(name: string, args: readonly CommandWord[]): void {
    if (evaluating.has(name)) this.#isEvaluated = this.#isPrompted = true;
    if (!naming.has(name)) return;
    if (args.some(({ text }) => text === null || substitution.test(text))) this.#isEvaluated = true;
    // `-i`: bash evaluates the value as arithmetic. `-n`: the name that it refers to may have a subscript.
    if (declaring.has(name) && args.some(({ text }) => /^-[a-zA-Z]*[in]/.test(text ?? ""))) this.#isEvaluated = true;
  }

  seeNode(node: SyntaxNode): void {
    if (node.type === "ArithmeticWord") this.#isEvaluated ||= !/^\d*$/.test(node.value);
    else if (node.type === "ArrayValue") this.#isEvaluated = true;
    else if (node.type === "Assignment") this.#isEvaluated ||= node.index !== undefined;
    else if (node.type === "TestBinary" || node.type === "TestUnary")
      this.#isEvaluated ||= numberTests.test(node.operator);
    else if (node.type === "ParameterExpansion") {
      const { prefix, index, operation } = node;
      if (prefix === "!" || index !== undefined || operation?.type === "Slice") this.#isEvaluated = true;
      const isQuoting = operation?.type === "Transform" && /^[QELUuKkAa]$/.test(operation.operand.text);
      if ((operation?.type === "Transform" && !isQuoting) || operation?.type === "Unknown") this.#isPrompted = true;
    }
  }
}

/** Whether bash may see a substitution here that the parser takes for text. */
export function isMisread(node: SyntaxNode): boolean {
  if (node.type === "ParameterExpansion") return node.operation?.type === "Unknown";
  if (node.type === "Assignment") return node.value.type === "Word" && node.value.text.startsWith("(");
  return node.type === "Word" && node.parts === undefined && /(?<!\\)(?:\\\\)*(?:\$\(|`|[<>]\()/.test(node.text);
}

const joinedLines = /(?:[$<>]|&(?=(?:\\\n)+&)|\|(?=(?:\\\n)+[|&])|;(?=(?:\\\n)+[;&])|[\w}](?=(?:\\\n)+[<>(]))\\\n/;

/** bash joins lines before it looks for operators and `$(`. The parser does not see one that a line's end divides. */
export function joinsLines(text: string): boolean {
  return joinedLines.test(text);
}
