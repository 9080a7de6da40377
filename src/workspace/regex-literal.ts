// Most patterns hold a piece of plain text that every match must have. Looking for it first is many times faster than
// looking at every character, and only the lines that have it need a second look.

import type { LineMatcher } from "./regex.ts";
import type { RegexNode } from "./regex-parse.ts";

/** The longest text that is in every match; empty when there is none. */
export function requiredText(node: RegexNode): string {
  const runs = [""];
  collect(node, runs);
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
}

/** Characters that follow each other in every match go into one run; whatever may be several things begins a new one. */
function collect(node: RegexNode, runs: string[]): void {
  if (node.kind === "sequence") {
    for (const part of node.parts) collect(part, runs);
  } else if (node.kind === "character" && node.only !== null) {
    runs.push(`${runs.pop()}${node.only}`);
  } else if (node.kind !== "assertion") {
    runs.push("");
  }
}

/** The same lines as `matcher` finds, all of which hold `literal`. */
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
