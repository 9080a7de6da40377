// Most patterns contain a plain text that every match must contain. Searching for that text first is many times faster than running the
// matcher over every character, and only lines with the text need the matcher.

import type { LineMatcher } from "./regex.ts";
import type { RegexNode } from "./regex-parse.ts";

/** The longest text that every match contains. Empty if there is none. */
export function requiredText(node: RegexNode): string {
  const runs = [""];
  collect(node, runs);
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
}

/** Collects runs of characters that are adjacent in every match. A part that can match different texts starts a new run. */
function collect(node: RegexNode, runs: string[]): void {
  if (node.kind === "sequence") {
    for (const part of node.parts) collect(part, runs);
  } else if (node.kind === "character" && node.only !== null) {
    runs.push(`${runs.pop()}${node.only}`);
  } else if (node.kind !== "assertion") {
    runs.push("");
  }
}

/** Finds the same lines as `matcher`, if every matching line contains `literal`. */
export function literalFirst(matcher: LineMatcher, literal: string): LineMatcher {
  if (literal === "") return matcher;
  return {
    next(text, from, isLate) {
      for (let at = text.indexOf(literal, from); at >= 0;) {
        const start = text.lastIndexOf("\n", at) + 1;
        const feed = text.indexOf("\n", at);
        const end = feed < 0 ? text.length : feed + 1;
        const found = matcher.next(text.slice(start, end), 0, isLate);
        if (found === "late") return found;
        if (found !== undefined)
          return { start: start + found.start, end: start + found.end, matchEnd: start + found.matchEnd };
        at = text.indexOf(literal, end);
      }
      return undefined;
    },
  };
}
