// Reads the contents of files and the targets of links from a tar, as `git archive` writes it: ustar with pax headers. It reads the
// long names of GNU's tar too. Names do not count: the caller knows a file by the id of its content.
// Invariant: it reads no more than `mostBytes`, and holds one content at a time, of a size that is wanted. What no tar of git has
// ends it.

import { ByteSource } from "./byte-source.ts";
import { type PaxRecords, parseTarHeader, readPaxRecords } from "./tar-header.ts";

export interface TarWanted {
  /** Of the whole tar, unpacked. */
  readonly mostBytes: number;
  /** Whether a content of that size can be one of those that the caller looks for. */
  readonly isWanted: (size: number) => boolean;
}

const BLOCK = 512;
/** Of a pax header or a long name. */
const EXTENSION_BYTES = 64 * 1024;

export async function* tarContents(
  pieces: AsyncIterable<Uint8Array>,
  { mostBytes, isWanted }: TarWanted,
): AsyncGenerator<Uint8Array> {
  // SECURITY(T85): a small archive can unpack to any number of bytes.
  const source = new ByteSource(pieces, mostBytes);
  try {
    /** What the extensions before an entry say about it. */
    let more: PaxRecords = {};
    for (;;) {
      const block = await source.take(BLOCK);
      const header = block === null ? null : parseTarHeader(block);
      if (header === null) return;
      const { kind, linkName } = header;
      const size = kind === "file" ? (more.size ?? header.size) : header.size;
      const isExtension = kind === "pax" || kind === "long-link";
      const isTaken = isExtension ? size <= EXTENSION_BYTES : kind === "file" && isWanted(size);
      const content = isTaken ? await source.take(size) : null;
      if (isTaken ? content === null : isExtension || !(await source.skip(size))) return;
      if (kind === "file" && content !== null) yield content;
      if (kind === "link") {
        const target = more.linkpath ?? linkName;
        if (isWanted(target.length)) yield target;
      }
      if (!(await source.skip(-size & (BLOCK - 1)))) return;
      if (!isExtension || content === null) {
        if (kind !== "global" && kind !== "long-name") more = {};
        continue;
      }
      const records = kind === "pax" ? readPaxRecords(content) : { linkpath: untilNul(content) };
      if (records === null) return;
      more = { ...more, ...records };
    }
  } finally {
    await source.close();
  }
}

function untilNul(text: Uint8Array): Uint8Array {
  const end = text.indexOf(0);
  return end < 0 ? text : text.subarray(0, end);
}
