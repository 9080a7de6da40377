// Finds where a regular expression between delimiters ends. Programs disagree about a delimiter inside of `[…]`: for some
// it is the end, and what follows is code; for others it is text.
// Invariant: an end is returned only where every program sees the same one.

/** The index of the closing delimiter; null: there is none, or programs disagree. */
export function findRegexEnd(text: string, start: number, delimiter: string): number | null {
  for (let at = start; at < text.length; at++) {
    const char = text[at] ?? "";
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
    const char = text[at] ?? "";
    if (char === delimiter || char === "\n") return null;
    if (char === "]") return at;
    if (char === "[") {
      const named = /^\[:[a-z]+:\]/.exec(text.slice(at, at + 20));
      if (named === null) return null;
      at += named[0].length - 1;
    }
    // In sed a backslash here is a character, in awk it protects the next one: `[\]` ends in sed and not in awk.
    if (char === "\\" && "]\n".includes(text[++at] ?? "\n")) return null;
  }
  return null;
}
