// Reads git's configuration format as text, without following anything that it includes.

export interface ConfigEntry {
  /** Section and key in lower case, the subsection as written: `branch.Main.merge`. */
  readonly section: string;
  readonly subsection: string | null;
  readonly key: string;
  /** null: a key without `=`, which means true. */
  readonly value: string | null;
}

/** What cannot be read ends the reading: git itself would refuse such a file. */
export function parseConfigFile(text: string): ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  let section = "";
  let subsection: string | null = null;
  let rest = text.replace(/^\ufeff/, "");
  while (rest !== "") {
    const blank = /^(?:[ \t\r\n]+|[#;][^\n]*)/.exec(rest);
    if (blank !== null) {
      rest = rest.slice(blank[0].length);
      continue;
    }
    const header = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/.exec(rest);
    if (header !== null) {
      [section, subsection] = splitHeader(header[1] as string, header[2]);
      rest = rest.slice(header[0].length);
      continue;
    }
    const key = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)/.exec(rest);
    if (key === null || section === "") return entries;
    rest = rest.slice(key[0].length);
    if (key[2] === "") {
      if (!/^(?:[ \t]*(?:\r?\n|$|[#;]))/.test(rest)) return entries;
      entries.push({ section, subsection, key: (key[1] as string).toLowerCase(), value: null });
      continue;
    }
    const read = readValue(rest);
    if (read === null) return entries;
    entries.push({ section, subsection, key: (key[1] as string).toLowerCase(), value: read.value });
    rest = read.rest;
  }
  return entries;
}

/** `[branch "x"]`, and the old `[branch.x]`, whose subsection is in lower case. */
function splitHeader(name: string, quoted: string | undefined): [string, string | null] {
  if (quoted !== undefined) return [name.toLowerCase(), quoted.replace(/\\(.)/g, "$1")];
  const dot = name.indexOf(".");
  return dot < 0 ? [name.toLowerCase(), null] : [name.slice(0, dot).toLowerCase(), name.slice(dot + 1).toLowerCase()];
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", '"': '"', "\\": "\\" };

/** To the end of the line: quotes, escapes, a backslash that joins lines, comments, blanks trimmed outside quotes. */
function readValue(text: string): { value: string; rest: string } | null {
  let value = "";
  let kept = 0; // the length up to which blanks at the end belong to the value
  let isQuoted = false;
  let at = /^[ \t]*/.exec(text)?.[0].length ?? 0;
  for (; at < text.length; at++) {
    const character = text[at] as string;
    if (character === "\n" || (character === "\r" && text[at + 1] === "\n")) break;
    if (character === "\\") {
      const next = text[++at];
      if (next === "\n") continue;
      if (next === "\r" && text[at + 1] === "\n") {
        at++;
        continue;
      }
      const escaped = next === undefined ? undefined : escapes[next];
      if (escaped === undefined) return null;
      value += escaped;
      kept = value.length;
    } else if (character === '"') {
      isQuoted = !isQuoted;
      kept = value.length;
    } else if (!isQuoted && (character === "#" || character === ";")) {
      at = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at);
      break;
    } else {
      value += character;
      if (isQuoted || !/[ \t\v\f]/.test(character)) kept = value.length;
    }
  }
  return isQuoted ? null : { value: value.slice(0, kept), rest: text.slice(at) };
}

/** One entry as a line of a configuration file, with its own header. */
export function writeConfigEntry({ section, subsection, key, value }: ConfigEntry): string {
  const header = subsection === null ? `[${section}]` : `[${section} "${subsection.replace(/[\\"]/g, "\\$&")}"]`;
  const quoted = value?.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\b", "\\b");
  return quoted === undefined ? `${header}\n\t${key}\n` : `${header}\n\t${key} = "${quoted}"\n`;
}
