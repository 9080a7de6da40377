// The person's ~/.netrc, which libcurl reads for git: passwords by host, and perhaps one for every other host.

import { readPlainFile } from "../../process/plain-file.ts";
import { resolvePath } from "../../process/real-path.ts";

export interface NetrcEntry {
  /** null: the `default`, for any host that has no entry of its own. */
  readonly machine: string | null;
  readonly login: string;
  readonly password: string;
}

const MOST_BYTES = 1 << 20;

export function readNetrc(home: string): NetrcEntry[] {
  // Where a person's settings are kept elsewhere, it is a link.
  const bytes = readPlainFile(resolvePath(`${home}/.netrc`).real, MOST_BYTES);
  return bytes === null ? [] : parseNetrc(bytes.toString("utf8"));
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

/** The entry that libcurl would take for this host. */
export function netrcFor(host: string, entries: readonly NetrcEntry[]): NetrcEntry | null {
  return entries.find(({ machine }) => machine === host) ?? entries.find(({ machine }) => machine === null) ?? null;
}
