// The line at the top of a Python program that says how its bytes are to be read: `# coding: utf-7` makes a command of a comment.

import { latin1Text } from "../../../shared/bytes.ts";

const codingLine = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/;
// In these, ASCII is ASCII, and what is shown is what Python reads. As Python does, with what stands behind it.
const plain = /^(?:utf-?8|ascii|us-ascii|646|latin-?1|l1|iso-?8859-1|iso-latin-1|8859)(?:-.*)?$/;

/** What it names, where that is another one than UTF-8, ASCII or Latin-1. */
export function oddCoding(path: string, content: Uint8Array): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  // A file without an end to its name may be anybody's.
  const isNamed = /\.pyw?$/i.test(name) || name.lastIndexOf(".") <= 0;
  if (!isNamed && !(content[0] === 0x23 && content[1] === 0x21)) return null;
  const [first, second] = firstLines(content);
  if (!isNamed && !/^#!.*python/i.test(first)) return null;
  for (const line of [first, second]) {
    const said = codingLine.exec(line)?.[1];
    if (said !== undefined && !plain.test(said.toLowerCase().replaceAll("_", "-"))) return said.slice(0, 40);
  }
  return null;
}

/** Python ends a line at CR, too. */
function firstLines(content: Uint8Array): [string, string] {
  const from = content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? 3 : 0;
  const end = lineEnd(content, from);
  const next = content[end] === 0x0d && content[end + 1] === 0x0a ? end + 2 : end + 1;
  return [textOf(content.subarray(from, end)), textOf(content.subarray(next, lineEnd(content, next)))];
}

function lineEnd(content: Uint8Array, from: number): number {
  let at = from;
  while (at < content.length && content[at] !== 0x0a && content[at] !== 0x0d) at += 1;
  return at;
}

/** Of a line without a hash, nothing is needed: most lines are of that sort, and some are very long. */
function textOf(line: Uint8Array): string {
  return line.includes(0x23) ? latin1Text(line) : "";
}
