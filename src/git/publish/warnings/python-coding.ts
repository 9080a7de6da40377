// Reads the coding line at the top of a Python program, which tells Python how to decode the file: with `# coding: utf-7`, a
// comment can contain a command.

import { latin1Text } from "../../../shared/bytes.ts";

const codingLine = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/;
// In these encodings, ASCII bytes mean ASCII, so Python reads what the diff shows. Like Python, this accepts a suffix after the name.
const plain = /^(?:utf-?8|ascii|us-ascii|646|latin-?1|l1|iso-?8859-1|iso-latin-1|8859)(?:-.*)?$/;

/** The encoding that the coding line names, if it is not UTF-8, ASCII or Latin-1; otherwise null. */
export function oddCoding(path: string, content: Uint8Array): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  // A file without an extension may be a Python program.
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

/** Python also ends a line at CR. */
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

/** Empty for a line without a "#", because it cannot be a coding line. Most lines have none, and some are very long. */
function textOf(line: Uint8Array): string {
  return line.includes(0x23) ? latin1Text(line) : "";
}
