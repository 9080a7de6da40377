// Parses git's configuration format. It does not follow includes.

export interface ConfigEntry {
  /** Section and key in lower case, the subsection as written: `branch.Main.merge`. */
  readonly section: string;
  readonly subsection: string | null;
  readonly key: string;
  /** Null for a key without `=`, which means true. */
  readonly value: string | null;
}

// Sticky patterns: each matches where the last match ended, so that a long file is scanned once.
const BLANK = /[ \t\r\n]+|[#;][^\n]*/y;
const HEADER = /\[([A-Za-z0-9.-]*)(?:[ \t\r]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y;
const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*/y;
const LINE_END = /\r?\n|$/y;

/** Stops at the first text that cannot be parsed, because git itself would refuse such a file. */
export function parseConfigFile(text: string): ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  let section = "";
  let subsection: string | null = null;
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (at < text.length) {
    if (take(BLANK) !== null) continue;
    const header = take(HEADER);
    if (header !== null) {
      [section, subsection] = splitHeader(header[1] as string, header[2]);
      continue;
    }
    const key = take(KEY)?.[1]?.toLowerCase();
    if (key === undefined) return entries;
    if (text[at] === "=") {
      const read = readValue(text, at + 1);
      if (read === null) return entries;
      entries.push({ section, subsection, key, value: read.value });
      at = read.end;
    } else {
      if (take(LINE_END) === null) return entries;
      entries.push({ section, subsection, key, value: null });
    }
  }
  return entries;
}

/** Accepts `[branch "x"]` and the old `[branch.x]`, whose subsection is lowercased. In `[a.b "x"]` the subsection is `b.x`. */
function splitHeader(name: string, quoted: string | undefined): [string, string | null] {
  const dot = name.indexOf(".");
  const section = (dot < 0 ? name : name.slice(0, dot)).toLowerCase();
  const written = [
    ...(dot < 0 ? [] : [name.slice(dot + 1).toLowerCase()]),
    ...(quoted === undefined ? [] : [quoted.replace(/\\(.)/gs, "$1")]),
  ];
  return [section, written.length === 0 ? null : written.join(".")];
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", '"': '"', "\\": "\\" };

/** Reads up to the end of the line: quotes, escapes, a backslash that joins lines, comments. Trims blanks outside quotes. */
function readValue(text: string, start: number): { value: string; end: number } | null {
  let value = "";
  let kept = 0; // the length up to which trailing blanks belong to the value
  let isQuoted = false;
  let at = start;
  for (; at < text.length; at++) {
    const character = text[at] as string;
    if (character === "\n" || (character === "\r" && text[at + 1] === "\n")) break;
    if (character === "\\") {
      const joined = /\\(?:\r?\n|$)/y;
      joined.lastIndex = at;
      if (joined.test(text)) {
        at = joined.lastIndex - 1;
        kept = value.length;
        continue;
      }
      const escaped = escapes[text[++at] as string];
      if (escaped === undefined) return null;
      value += escaped;
      kept = value.length;
    } else if (character === '"') {
      isQuoted = !isQuoted;
      kept = value.length;
    } else if (!isQuoted && (character === "#" || character === ";")) {
      const newline = text.indexOf("\n", at);
      at = newline < 0 ? text.length : newline;
      break;
    } else if (!isQuoted && /[ \t\r]/.test(character)) {
      if (value !== "") value += character;
    } else {
      value += character;
      kept = value.length;
    }
  }
  return isQuoted ? null : { value: value.slice(0, kept), end: at };
}

/** One entry as text of a configuration file, with its own header. */
export function writeConfigEntry({ section, subsection, key, value }: ConfigEntry): string {
  const header = subsection === null ? `[${section}]` : `[${section} "${subsection.replace(/[\\"]/g, "\\$&")}"]`;
  const quoted = value
    ?.replace(/[\\"]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t")
    .replaceAll("\b", "\\b");
  return quoted === undefined ? `${header}\n\t${key}\n` : `${header}\n\t${key} = "${quoted}"\n`;
}
