// Where a regular expression between delimiters ends. Programs disagree about a delimiter inside of `[…]`: some take it
// for the end, some do not, and what follows would be code for one and text for the other.
// Invariant: an end is given only where every reader sees the same one.

/** The index of the closing delimiter, or null: it is not closed, or not for everyone. */
export function findRegexEnd(text: string, start: number, delimiter: string): number | null {
  for (let at = start; at < text.length; at++) {
    const char = text[at] as string;
    if (char === delimiter) return at;
    if (char === "\n") return null;
    if (char === "\\") at++;
    else if (char === "[") {
      const close = findBracketEnd(text, at, delimiter);
      if (close === null) return null;
      at = close;
    }
  }
  return null;
}

function findBracketEnd(text: string, open: number, delimiter: string): number | null {
  let at = open + 1;
  if (text[at] === "^") at++;
  if (text[at] === "]") at++;
  for (; at < text.length; at++) {
    const char = text[at] as string;
    if (char === delimiter || char === "\n") return null;
    if (char === "]") return at;
    if (char === "[") {
      const named = /^\[:[a-z]+:\]/.exec(text.slice(at, at + 20));
      if (named === null) return null;
      at += named[0].length - 1;
    }
    // In sed a backslash here is itself, in awk it protects: `[\]` ends for one and not for the other.
    if (char === "\\" && "]\n".includes(text[++at] ?? "\n")) return null;
  }
  return null;
}
