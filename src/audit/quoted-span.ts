// Finds where a quoted value in a text begins and ends.

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export interface QuotedSpan extends TextSpan {
  /** The offset after the closing quote. */
  readonly after: number;
}

// A plain quote, an escaped one (JSON inside shell quotes, and that inside JSON again), or a quote as a shell writes it inside quotes.
const opening = /'\\''|'"'"'|\\{0,7}["']/y;

/** The content of a quoted value. */
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
