// Rewrites the lines of a `.gitignore` for a directory below it, so that they mean the same when they stand there.

import { parseIgnoreFile } from "./ignore-pattern.ts";

/**
 * `names`: the way from the directory of the file to the one below. Lines that match nothing below it, or all of it, are left out. One
 * character for each byte, as in `parseIgnoreFile`.
 */
export function ignoreRulesBelow(content: string, names: readonly string[]): string {
  const lines = content.split("\n").filter((line) => parseIgnoreFile(line).length > 0);
  return lines.flatMap((line) => lineBelow(line.replace(/\r$/, ""), names)).join("");
}

function lineBelow(line: string, names: readonly string[]): string[] {
  const sign = line.startsWith("!") ? "!" : "";
  const pattern = line.slice(sign.length);
  const body = pattern.replace(/\/ *$/, "");
  if (!body.includes("/")) return [`${line}\n`]; // a name, at any depth
  const parts = body.replace(/^\//, "").split("/");
  const rest = matchedParts(parts, names).map((count) => parts.slice(count).join("/"));
  return rest.map((one) => `${sign}/${one}${pattern.slice(body.length)}\n`);
}

/**
 * How many parts of the pattern have matched all of the names. Several numbers if `**` can match fewer or more names; none if they do
 * not match, or the whole pattern does: then it is about the directory itself, or one above.
 */
function matchedParts(parts: readonly string[], names: readonly string[]): number[] {
  const patterns = parts.map((part) => (part === "**" ? null : parseIgnoreFile(part)[0]));
  let ways = new Set([0]);
  for (const name of names) {
    const next = new Set<number>();
    // A set also visits what is added meanwhile: `**` may stand for nothing.
    for (const way of ways) {
      const pattern = patterns[way];
      if (pattern === null) {
        next.add(way);
        ways.add(way + 1);
      } else if (pattern?.matches(name, { steps: 0 }) === true) next.add(way + 1);
    }
    ways = next;
  }
  return [...ways].filter((count) => count < parts.length).sort((one, other) => one - other);
}
