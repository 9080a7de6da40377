// Splits a line that is too long to draw at once into pieces. Each piece has its own row and is drawn only near the screen.
// Invariant: the pieces together are the line. No piece splits a grapheme or a run of blanks.

/** In UTF-16 units. Blanks that continue at the end of a piece are added to it. */
export const PIECE_CHARACTERS = 2_000;

const NEAR = 32;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Where the pieces begin, without the first. */
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
  // A grapheme with this many combining marks is not readable, so it is split and shown by signs.
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
