// A line longer than can be drawn at once, in pieces: each of them has a row of its own, and is drawn only near the screen.
// Invariant: the pieces together are the line; none divides what a reader sees as one character, or a run of blanks.

/** In UTF-16 units; blanks that go on at its end come on top. */
export const PIECE_CHARACTERS = 2_000;

const NEAR = 32;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Where its pieces begin, without the first. */
export function cutsOf(text: string): readonly number[] {
  const cuts: number[] = [];
  for (let at = nextCut(text, 0); at < text.length; at = nextCut(text, at)) cuts.push(at);
  return cuts;
}

function nextCut(text: string, from: number): number {
  const end = from + PIECE_CHARACTERS;
  if (end >= text.length) return text.length;
  if (text[end - 1] === " " && text[end] === " ") return endOfBlanks(text, end);
  const near = text.slice(end - NEAR, end + NEAR);
  if (/^[ -~]*$/.test(near)) return end;
  const begins = graphemes.segment(near).containing(NEAR)?.index ?? NEAR;
  // More marks on one character than anybody reads: it is divided, and shown by signs.
  if (begins === 0) return isLowSurrogate(text, end) ? end - 1 : end;
  return end - NEAR + begins;
}

function endOfBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === " ") at += 1;
  return at;
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
