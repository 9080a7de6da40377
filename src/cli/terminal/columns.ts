// Measures how many columns a text takes on a terminal, and where to break it. The text must be safe to display already.

let segmenter: Intl.Segmenter | undefined;

/** Created on first use, because it takes longer than most commands run. */
function graphemesOf(text: string): Intl.Segments {
  return (segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" })).segment(text);
}

const wide =
  /^[\u{1100}-\u{115f}\u{231a}-\u{231b}\u{2329}\u{232a}\u{23e9}-\u{23ec}\u{2e80}-\u{303e}\u{3041}-\u{a4cf}\u{a960}-\u{a97c}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe10}-\u{fe19}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** The expression is inside the function because node compiles it on first use, which takes about 15 ms. */
function isEmoji(text: string): boolean {
  return /^(?:\p{RGI_Emoji}|\p{Emoji_Presentation})/v.test(text);
}

export function columnsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemesOf(text)) columns += columnsOfOne(segment);
  return columns;
}

// Terminals disagree about the width of clusters. The larger number breaks a line early; the smaller one would let it overflow.
function columnsOfOne(grapheme: string): number {
  const parts = [...grapheme].filter((character) => !/^(?:\p{M}|\u{200d})$/u.test(character));
  const sum = parts.reduce((columns, part) => columns + (wide.test(part) || isEmoji(part) ? 2 : 1), 0);
  return Math.max(sum, grapheme.includes("\u{fe0f}") ? 2 : 0);
}

/** Splits the text into pieces of at most `width` columns. Returns at least one. */
export function splitColumns(text: string, width: number): string[] {
  const most = Math.max(2, width);
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const { segment } of graphemesOf(text)) {
    const columns = columnsOfOne(segment);
    if (used + columns > most && piece !== "") {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += segment;
    used += columns;
  }
  return [...pieces, piece];
}

/** Cuts the text to `width` columns, with a sign at the end if something was cut. */
export function cutColumns(text: string, width: number, isUnicode: boolean): string {
  if (columnsOf(text) <= width) return text;
  const sign = isUnicode ? "…" : "...";
  if (width <= sign.length) return sign.slice(0, Math.max(0, width));
  return `${splitColumns(text, width - sign.length)[0] ?? ""}${sign}`;
}

export function padColumns(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - columnsOf(text)));
}
