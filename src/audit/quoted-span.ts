// Where a quoted value in a text begins and ends.

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export interface QuotedSpan extends TextSpan {
  /** Behind the closing quote. */
  readonly after: number;
}

// A quote as it is, escaped (JSON in a shell's quotes, and that in JSON again), or as a shell writes it inside of others.
const opening = /'\\''|'"'"'|\\{0,7}["']/y;

/** The inside of a quoted value. */
export function quotedSpan(text: string, at: number): QuotedSpan | undefined {
  opening.lastIndex = at;
  const quote = opening.exec(text)?.[0];
  if (quote === undefined) return undefined;
  const start = at + quote.length;
  for (let end = text.indexOf(quote, start); end !== -1; end = text.indexOf(quote, end + quote.length)) {
    if (quote.startsWith("'") || !isEscaped(text, end, start)) return { start, end, after: end + quote.length };
  }
  return undefined;
}

function isEscaped(text: string, at: number, start: number): boolean {
  let count = 0;
  while (at - 1 - count >= start && text[at - 1 - count] === "\\") count += 1;
  return count % 2 === 1;
}
