// Reads the person's ~/.netrc, which libcurl uses for git: passwords by host, and perhaps a default for all other hosts.

import { readPlainFile } from "../../../process/plain-file.ts";
import { resolvePath } from "../../../process/real-path.ts";

export interface NetrcEntry {
  /** Null for the `default` entry, which applies to any host without an entry of its own. */
  readonly machine: string | null;
  readonly login: string;
  readonly password: string;
}

const MOST_BYTES = 1 << 20;

export interface Netrc {
  /** Whether libcurl may send this host an entry of its own. */
  mayName(host: string): boolean;
  /** SECURITY(T41): whether libcurl may send the `default` entry to this host. */
  maySendDefault(host: string): boolean;
}

/** libcurl reads some things in other ways (macros, comments after words, quotes). If the file has them, nothing is certain. */
export function readNetrc(home: string): Netrc {
  // The file is a link if the person keeps settings elsewhere.
  const bytes = readPlainFile(resolvePath(`${home}/.netrc`).real, MOST_BYTES);
  return netrcOf(bytes === null ? "" : bytes.toString("utf8"));
}

export function netrcOf(text: string): Netrc {
  const lines = text.replace(/^[ \t]*#.*$/gm, "");
  const words: readonly string[] = lines.toLowerCase().match(/[^\s"]+/g) ?? [];
  const isCertain = !/["\\#]/.test(lines) && !words.includes("macdef");
  const entries = parseNetrc(text);
  return {
    mayName: (host) => words.includes(host.replace(/^\[|\]$/g, "")) || words.includes(host),
    maySendDefault(host) {
      if (!words.includes("default")) return false;
      const own = entries.find(({ machine }) => machine === host || machine === null);
      const isWhole = own !== undefined && own.machine !== null && own.login !== "" && own.password !== "";
      return !isCertain || !isWhole;
    },
  };
}

export function parseNetrc(text: string): NetrcEntry[] {
  const words = text.replace(/^[ \t]*#.*$/gm, "").match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  const entries: { machine: string | null; login: string; password: string }[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    const value = (words[at + 1] ?? "").replace(/^"(.*)"$/s, "$1");
    const last = entries.at(-1);
    if (word === "machine") entries.push({ machine: value.toLowerCase(), login: "", password: "" });
    else if (word === "default") entries.push({ machine: null, login: "", password: "" });
    else if (word === "login" && last !== undefined) last.login = value;
    else if (word === "password" && last !== undefined) last.password = value;
    if (/^(?:machine|login|password|account)$/.test(word)) at += 1;
  }
  return entries;
}
