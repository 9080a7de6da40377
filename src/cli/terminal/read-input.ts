// Reads all of standard input as text, up to a limit.

import type { Readable } from "node:stream";
import { UsageError } from "../usage-error.ts";

export async function readInput(stdin: Readable, maxBytes: number, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new UsageError(`standard input is longer than ${maxBytes} bytes`, `That is the most that ${what} can be.`);
    }
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new UsageError(
      "standard input is not UTF-8 text",
      `${what} is text; put other bytes into a file that is granted.`,
    );
  }
}
