// Where a quoted value in a text begins and ends.

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The inside of a quoted value; the quotes may themselves be escaped, as in JSON inside a shell string. */
export function quotedSpan(text: string, at: number): Span | undefined {
  const quote = text[at] === "\\" ? text.slice(at, at + 2) : (text[at] ?? "");
  if (!/^\\?["']$/.test(quote)) return undefined;
  const start = at + quote.length;
  for (let end = text.indexOf(quote, start); end !== -1; end = text.indexOf(quote, end + quote.length)) {
    if (quote === "'" || !isEscaped(text, end, start)) return { start, end };
  }
  return undefined;
}

function isEscaped(text: string, at: number, start: number): boolean {
  let count = 0;
  while (at - 1 - count >= start && text[at - 1 - count] === "\\") count += 1;
  return count % 2 === 1;
}
