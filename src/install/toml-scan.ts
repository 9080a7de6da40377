// Finds the statements of a TOML file: its tables and keys with their offsets. It skips over values.

export interface TomlStatement {
  /** `[a.b]`, `[[a.b]]`, or `a.b = …`. */
  readonly kind: "table" | "list" | "pair";
  /** The key path, outermost first; for a pair, including its table. */
  readonly path: readonly string[];
  /** True for a pair whose dotted key opens tables without a header. */
  readonly isDotted: boolean;
  readonly start: number;
}

export type TomlScan =
  | { readonly ok: true; readonly statements: readonly TomlStatement[] }
  | { readonly ok: false; readonly line: number; readonly reason: string };

class Unreadable extends Error {}

export function scanToml(text: string): TomlScan {
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  const statements: TomlStatement[] = [];
  let table: readonly string[] = [];

  const stop = (reason: string): never => {
    throw new Unreadable(reason);
  };
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) return null;
    at += found.length;
    return found;
  };
  const skipLineBlanks = () => void match(/[ \t]*/y);
  const skipBlanks = () => void match(/(?:[ \t\r\n]|#[^\n]*)*/y);
  const endLine = () => match(/[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y) ?? stop("something stands after the value");

  const string = (): string => {
    const quote = (text[at] as string) === '"' ? '"' : "'";
    const isLong = text.startsWith(quote.repeat(3), at);
    const start = at;
    at += isLong ? 3 : 1;
    for (; at < text.length; at += 1) {
      if (quote === '"' && text[at] === "\\") at += 1;
      else if (!isLong && text[at] === "\n") break;
      else if (isLong ? text.startsWith(quote.repeat(3), at) : text[at] === quote) {
        at += isLong ? 3 : 1;
        // Up to two more quotes may belong to the string itself.
        if (isLong) for (let more = 0; more < 2 && text[at] === quote; more += 1) at += 1;
        return text.slice(start, at);
      }
    }
    return stop("a text that does not end");
  };
  const key = (): string[] => {
    const parts: string[] = [];
    for (;;) {
      skipLineBlanks();
      const bare = match(/[A-Za-z0-9_-]+/y);
      if (bare !== null) parts.push(bare);
      else if (text[at] === '"' || text[at] === "'") parts.push(unquote(string()));
      else stop("a key that cannot be read");
      skipLineBlanks();
      if (text[at] !== ".") return parts;
      at += 1;
    }
  };
  const unquote = (quoted: string): string => {
    if (/^(?:"""|''')/.test(quoted)) return stop("a key in three quotes");
    if (quoted.startsWith("'")) return quoted.slice(1, -1);
    try {
      return JSON.parse(quoted) as string;
    } catch {
      return stop("a key that cannot be read");
    }
  };
  const value = (depth: number): void => {
    const first = text[at];
    if (depth > 100) stop("it is nested too deeply");
    if (first === '"' || first === "'") string();
    else if (first === "[" || first === "{") {
      const close = first === "[" ? "]" : "}";
      at += 1;
      for (skipBlanks(); text[at] !== close; skipBlanks()) {
        if (first === "{") {
          key();
          if (text[at] !== "=") stop('no "=" after a key');
          at += 1;
          skipBlanks();
        }
        value(depth + 1);
        skipBlanks();
        if (text[at] === ",") at += 1;
        else if (text[at] !== close) stop(`something else where "," or "${close}" should be`);
      }
      at += 1;
    } else if ((match(/[A-Za-z0-9+.:_-]+(?: [0-9][0-9:.+Z-]*)?/y) ?? "") === "") stop("a value that cannot be read");
  };

  try {
    for (skipBlanks(); at < text.length; skipBlanks()) {
      const start = at;
      if (text[at] === "[") {
        const isList = text.startsWith("[[", at);
        at += isList ? 2 : 1;
        table = key();
        if (!text.startsWith(isList ? "]]" : "]", at)) stop("a table's name that does not end");
        at += isList ? 2 : 1;
        endLine();
        statements.push({ kind: isList ? "list" : "table", path: table, isDotted: false, start });
      } else {
        const keys = key();
        if (text[at] !== "=") stop('no "=" after a key');
        at += 1;
        skipLineBlanks();
        value(0);
        endLine();
        statements.push({
          kind: "pair",
          path: [...table, ...keys],
          isDotted: table.length === 0 && keys.length > 1,
          start,
        });
      }
    }
    return { ok: true, statements };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { ok: false, line: text.slice(0, at).split("\n").length, reason: error.message };
  }
}
