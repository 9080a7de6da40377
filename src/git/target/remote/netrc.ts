// The person's ~/.netrc, which libcurl reads for git: passwords by host, and perhaps one for every other host.

import { readPlainFile } from "../../../process/plain-file.ts";
import { resolvePath } from "../../../process/real-path.ts";

export interface NetrcEntry {
  /** null: the `default`, for any host that has no entry of its own. */
  readonly machine: string | null;
  readonly login: string;
  readonly password: string;
}

const MOST_BYTES = 1 << 20;

export interface Netrc {
  /** Something of it may be sent to this host as its own. */
  mayName(host: string): boolean;
  /** SECURITY(T41): its `default` may be sent there, as to any host. */
  maySendDefault(host: string): boolean;
}

/** libcurl reads some things otherwise (macros, comments behind words, quotes): where they stand, nothing is certain. */
export function readNetrc(home: string): Netrc {
  // Where a person's settings are kept elsewhere, it is a link.
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
