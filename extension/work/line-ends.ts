// The line ends of a file. A field of a page has only "\n", so a file that has others is given them back when it is saved.

export type LineEnds = "\n" | "\r\n" | "mixed";

export function lineEndsOf(text: string): LineEnds {
  const all = text.match(/\r\n|\r|\n/g) ?? [];
  if (!all.some((end) => end !== "\n")) return "\n";
  return all.every((end) => end === "\r\n") ? "\r\n" : "mixed";
}

export function toField(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

export function fromField(text: string, ends: LineEnds): string {
  return ends === "\r\n" ? text.replaceAll("\n", "\r\n") : text;
}
