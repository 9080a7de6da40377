// Reads JSON, also with comments and trailing commas, and keeps where each part stands: for changing a file without
// writing the rest of it anew.

export interface JsoncMember {
  readonly key: string;
  /** Where the text before the key ends: its last character that is not blank, comments included. */
  readonly before: number;
  readonly keyStart: number;
  readonly node: JsoncNode;
  /** Of the comma after it. */
  readonly comma: number | null;
}

export interface JsoncNode {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** null: not an object. */
  readonly members: readonly JsoncMember[] | null;
  /** Of an object: where what is written in it ends, comments included. */
  readonly contentEnd: number;
}

export type JsoncResult =
  | { readonly ok: true; readonly root: JsoncNode | null }
  | { readonly ok: false; readonly line: number; readonly column: number; readonly reason: string };

const maxDepth = 200;

class Unreadable extends Error {
  readonly at: number;

  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

/** `root` is null where nothing but blanks and comments are written. */
export function parseJsonc(text: string): JsoncResult {
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  /** The end of the last token or comment. */
  let contentEnd = at;

  const skipBlanks = (): void => {
    for (;;) {
      while (at < text.length && " \t\r\n".includes(text[at] as string)) at += 1;
      if (text.startsWith("//", at)) {
        const end = text.slice(at).search(/[\r\n]/);
        at = end === -1 ? text.length : at + end;
      } else if (text.startsWith("/*", at)) {
        const end = text.indexOf("*/", at + 2);
        if (end === -1) throw new Unreadable(at, "a comment that does not end");
        at = end + 2;
      } else return;
      contentEnd = at;
    }
  };
  const take = (length: number): void => {
    at += length;
    contentEnd = at;
  };
  const scalar = (length: number): JsoncNode => {
    const start = at;
    let value: unknown;
    try {
      value = JSON.parse(text.slice(at, at + length));
    } catch {
      throw new Unreadable(at, "a value that is not JSON");
    }
    take(length);
    return { start, end: at, value, members: null, contentEnd: at };
  };
  const stringLength = (): number => {
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
    if (end >= text.length) throw new Unreadable(at, "a text that does not end");
    return end + 1 - at;
  };
  const object = (depth: number): JsoncNode => {
    const start = at;
    const members: JsoncMember[] = [];
    take(1);
    for (;;) {
      skipBlanks();
      const before = contentEnd;
      if (text[at] === "}") {
        take(1);
        const value: unknown = Object.fromEntries(members.map(({ key, node }) => [key, node.value]));
        return { start, end: at, value, members, contentEnd: before };
      }
      if (text[at] !== '"') throw new Unreadable(at, 'something else where a name in quotes or "}" should be');
      const keyStart = at;
      const { value: key } = scalar(stringLength());
      skipBlanks();
      if (text[at] !== ":") throw new Unreadable(at, 'no ":" after a name');
      take(1);
      const node = valueAt(depth + 1);
      skipBlanks();
      const comma = text[at] === "," ? at : null;
      if (comma !== null) take(1);
      else if (text[at] !== "}") throw new Unreadable(at, 'something else where "," or "}" should be');
      members.push({ key: key as string, before, keyStart, node, comma });
    }
  };
  const array = (depth: number): JsoncNode => {
    const start = at;
    const values: unknown[] = [];
    take(1);
    for (;;) {
      skipBlanks();
      if (text[at] === "]") {
        take(1);
        return { start, end: at, value: values, members: null, contentEnd: at };
      }
      values.push(valueAt(depth + 1).value);
      skipBlanks();
      if (text[at] === ",") take(1);
      else if (text[at] !== "]") throw new Unreadable(at, 'something else where "," or "]" should be');
    }
  };
  const valueAt = (depth: number): JsoncNode => {
    skipBlanks();
    if (depth > maxDepth) throw new Unreadable(at, "it is nested too deeply");
    const first = text[at];
    if (first === "{") return object(depth);
    if (first === "[") return array(depth);
    if (first === '"') return scalar(stringLength());
    return scalar(/^[^\s,\]}/]*/.exec(text.slice(at, at + 400))?.[0].length ?? 0);
  };

  try {
    skipBlanks();
    if (at === text.length) return { ok: true, root: null };
    const root = valueAt(0);
    skipBlanks();
    if (at < text.length) throw new Unreadable(at, "something stands after its end");
    return { ok: true, root };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const lines = text.slice(0, error.at).split(/\r\n|\n|\r/);
    return { ok: false, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, reason: error.message };
  }
}
