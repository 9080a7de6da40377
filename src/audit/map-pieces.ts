// Processes a long text in pieces, because a regular expression over many megabytes overflows the stack.
// Invariant: the joined pieces are the text, and the first and last piece are far longer than what an entry shows of a text.

/** In UTF-16 units. All pieces of a text have about the same length, so none is shorter than about half of this. */
const PIECE = 1 << 20;

export function mapPieces(text: string, change: (piece: string) => string): string {
  const changed: string[] = [];
  for (let start = 0, rest = text.length; ; rest = text.length - start) {
    if (rest <= PIECE) return changed.join("") + change(start === 0 ? text : text.slice(start));
    const size = Math.ceil(rest / Math.ceil(rest / PIECE));
    const end = borderBefore(text, start + size, start + Math.floor(size / 2));
    changed.push(change(text.slice(start, end)));
    start = end;
  }
}

/** After the last line break that is not too far back; otherwise here. Looks no further back: the text may be one line. */
function borderBefore(text: string, end: number, least: number): number {
  const lineEnd = text.slice(least, end).lastIndexOf("\n") + 1;
  return lineEnd > 0 ? least + lineEnd : end;
}
