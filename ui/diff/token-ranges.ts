// The highlighter's result as numbers for each line: start, end (exclusive) and kind. It never becomes markup.

import type { HLJSApi } from "highlight.js";

/** The kinds, by number. The style sheet has a colour for each. */
export const tokenNames = [
  "comment",
  "keyword",
  "string",
  "number",
  "title",
  "type",
  "attribute",
  "variable",
  "meta",
  "name",
  "section",
] as const;

type TokenName = (typeof tokenNames)[number];

const kindOfScope: Readonly<Record<string, TokenName>> = {
  addition: "string",
  attr: "attribute",
  attribute: "attribute",
  built_in: "type",
  bullet: "keyword",
  "char.escape": "number",
  code: "string",
  comment: "comment",
  deletion: "keyword",
  doctag: "keyword",
  formula: "number",
  keyword: "keyword",
  link: "string",
  literal: "number",
  meta: "meta",
  name: "name",
  number: "number",
  operator: "keyword",
  property: "attribute",
  quote: "comment",
  regexp: "string",
  section: "section",
  "selector-attr": "attribute",
  "selector-class": "title",
  "selector-id": "title",
  "selector-pseudo": "attribute",
  "selector-tag": "name",
  string: "string",
  strong: "section",
  symbol: "number",
  "template-tag": "meta",
  "template-variable": "variable",
  title: "title",
  type: "type",
  variable: "variable",
  "variable.language": "keyword",
};

/** -1 if the scope has no colour: the text is drawn plain or in the colour of the scope around it. */
function numberOfScope(scope: string): number {
  const name = kindOfScope[scope] ?? kindOfScope[scope.slice(0, Math.max(0, scope.indexOf(".")))];
  return name === undefined ? -1 : tokenNames.indexOf(name);
}

/** Receives the highlighter's output as a list of texts with their kinds, instead of its tree and HTML. */
class RangeEmitter {
  readonly parts: { text: string; kind: number }[] = [];
  readonly #open: number[] = [];

  addText(text: string): void {
    if (text !== "") this.parts.push({ text, kind: this.#open.at(-1) ?? -1 });
  }

  startScope(scope: string): void {
    const kind = numberOfScope(scope);
    // Code inside a string does not have the colour of the string.
    this.#open.push(kind >= 0 || scope === "subst" ? kind : (this.#open.at(-1) ?? -1));
  }

  endScope(): void {
    this.#open.pop();
  }

  openNode(scope: string): void {
    this.startScope(scope);
  }

  closeNode(): void {
    this.endScope();
  }

  __addSublanguage(inner: RangeEmitter): void {
    const around = this.#open.at(-1) ?? -1;
    for (const { text, kind } of inner.parts) this.parts.push({ text, kind: kind < 0 ? around : kind });
  }

  finalize(): void {}

  toHTML(): string {
    return "";
  }
}

export function prepareHighlighter(highlighter: HLJSApi): void {
  highlighter.configure({ __emitter: RangeEmitter } as object);
}

/** For each line of the text, three numbers a range. */
export function tokenLines(highlighter: HLJSApi, language: string, text: string): number[][] {
  const { _emitter: emitter } = highlighter.highlight(text, { language, ignoreIllegals: true });
  const lines: number[][] = [[]];
  let column = 0;
  for (const part of (emitter as unknown as RangeEmitter).parts)
    for (const [at, piece] of part.text.split("\n").entries()) {
      if (at > 0) {
        lines.push([]);
        column = 0;
      }
      if (piece === "") continue;
      if (part.kind >= 0) addRange(lines.at(-1) as number[], column, column + piece.length, part.kind);
      column += piece.length;
    }
  return lines;
}

function addRange(line: number[], from: number, to: number, kind: number): void {
  const end = line.length;
  if (line[end - 1] === kind && line[end - 2] === from) line[end - 2] = to;
  else line.push(from, to, kind);
}
