// Text that is no command where it stands, but may become one: bash evaluates subscripts in arithmetic, in `unset`,
// `read` and `[[ -v`, and prompts in `${x@P}`. Where a script has both such text and such a place, something unknown runs.

import type { SyntaxNode } from "unbash";
import type { CommandWord } from "./command-word.ts";

const substitution = /\$[({]|`/;
const subscript = /\[[^]*(?:\$[({]|`)/;
const numberTests = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;
/** Builtins that take a variable's name, and with it a subscript. */
const naming = new Set(
  "declare typeset local export readonly unset read printf test [ mapfile readarray getopts wait".split(" "),
);
const evaluating = new Set("let compgen complete".split(" "));
export const runningVariables: ReadonlySet<string> = new Set([
  "PROMPT_COMMAND",
  "BASH_ENV",
  "ENV",
  "PS0",
  "PS1",
  "PS2",
  "PS4",
]);

export class LatentCode {
  #hasSubstitution = false;
  #hasSubscript = false;
  #isPrompted = false;
  #isEvaluated = false;

  get mayRun(): boolean {
    return (this.#hasSubstitution && this.#isPrompted) || (this.#hasSubscript && this.#isEvaluated);
  }

  seeText(text: string): void {
    this.#hasSubstitution ||= substitution.test(text);
    this.#hasSubscript ||= subscript.test(text);
  }

  seeBuiltin(name: string, args: readonly CommandWord[]): void {
    if (evaluating.has(name)) this.#isEvaluated = this.#isPrompted = true;
    if (naming.has(name) && args.some(({ text }) => text === null || substitution.test(text))) this.#isEvaluated = true;
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
      if (operation?.type === "Transform" || operation?.type === "Unknown") this.#isPrompted = true;
    }
  }
}

/** Places where bash may see a substitution that the parser takes for text. */
export function isMisread(node: SyntaxNode): boolean {
  if (node.type === "ParameterExpansion") return node.operation?.type === "Unknown";
  if (node.type === "Assignment") return node.value.type === "Word" && node.value.text.startsWith("(");
  return node.type === "Word" && node.parts === undefined && /(?<!\\)(?:\\\\)*(?:\$\(|`|[<>]\()/.test(node.text);
}
