// Divides a file that is too long to compare, or is not text, into parts that a person reads one by one. The gate makes only the
// part that is being read, however long the file is.
// Invariant: the parts together are the whole file, in order. No part splits a character, and only long lines are split.

import type { DiffHunk, TextEncoding } from "../../action/diff-file.ts";
import { splitLines } from "./line-diff.ts";
import { decodeText, textEncoding } from "./text-content.ts";

const PART_BYTES = 64 * 1024;
/** How far back to search for the end of a line. */
const NEAR_BYTES = 8 * 1024;

export interface FileParts {
  readonly encoding: TextEncoding;
  /** The offset at which each part begins, then the end of the file. */
  readonly starts: readonly number[];
  /** The number of each part's first line. A line that was split has the same number in both parts. */
  readonly firstLines: readonly number[];
  /** The number of lines in each part. */
  readonly lines: readonly number[];
}

export function fileParts(content: Uint8Array, encoding: TextEncoding = textEncoding(content)): FileParts {
  const starts = [0];
  for (let aim = PART_BYTES; aim < content.length; aim += PART_BYTES) starts.push(startNear(content, aim, encoding));
  const ends = [...starts.slice(1), content.length];
  const firstLines: number[] = [];
  const lines: number[] = [];
  let line = 1;
  for (const [part, from] of starts.entries()) {
    const to = ends[part] as number;
    const feeds = lineFeeds(content, from, to, encoding);
    const isOpen = to > from && !endsLine(content, to, encoding);
    firstLines.push(line);
    lines.push(feeds + (isOpen ? 1 : 0));
    line += feeds;
  }
  return { encoding, starts: [...starts, content.length], firstLines, lines };
}

export function partHunk(content: Uint8Array, parts: FileParts, part: number): DiffHunk {
  const [from, to] = [parts.starts[part] as number, parts.starts[part + 1] as number];
  const { lines, isTerminated } = splitLines(decodeText(content.subarray(from, to), parts.encoding));
  const isLast = to === content.length;
  return {
    oldStart: 0,
    oldCount: 0,
    newStart: parts.firstLines[part] as number,
    newCount: lines.length,
    section: "",
    lines: lines.map((text, at) => ({
      sign: "+",
      text,
      isUnterminated: isLast && !isTerminated && at === lines.length - 1,
    })),
  };
}

/** The offset after the last line feed before `aim`; if there is none near, an offset between two characters. */
function startNear(content: Uint8Array, aim: number, encoding: TextEncoding): number {
  const step = encoding === "utf-8" || encoding === "latin1" ? 1 : 2;
  for (let at = aim; at > aim - NEAR_BYTES; at -= step) if (endsLine(content, at, encoding)) return at;
  let at = aim;
  if (encoding === "utf-8") while (((content[at] as number) & 0xc0) === 0x80) at -= 1;
  if (step === 2 && ((content[encoding === "utf-16be" ? at : at + 1] as number) & 0xfc) === 0xdc) at -= 2;
  return at;
}

/** Whether the character before this offset is a line feed. */
function endsLine(content: Uint8Array, at: number, encoding: TextEncoding): boolean {
  if (encoding === "utf-16le") return content[at - 2] === 0x0a && content[at - 1] === 0;
  return content[at - 1] === 0x0a && (encoding !== "utf-16be" || content[at - 2] === 0);
}

function lineFeeds(content: Uint8Array, from: number, to: number, encoding: TextEncoding): number {
  const step = encoding === "utf-8" || encoding === "latin1" ? 1 : 2;
  let count = 0;
  for (let at = content.indexOf(0x0a, from); at >= 0 && at < to; at = content.indexOf(0x0a, at + 1)) {
    const end = encoding === "utf-16le" ? at + 2 : at + 1;
    if (step === 1 || (end % 2 === 0 && endsLine(content, end, encoding))) count += 1;
  }
  return count;
}
