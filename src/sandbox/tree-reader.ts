// Takes the changes of a call from its pipe while it runs: whoever writes them would wait for ever otherwise.

import type { RunTreeChanges } from "../process/outcome.ts";
import { readPipe } from "../process/pipe-reader.ts";
import { type TreeBounds, TreeStream } from "./tree-stream.ts";

export interface TreeReader {
  /** Settles when the first change can be read: the program has ended. Never, if there is nothing to read. */
  readonly begun: Promise<void>;
  /** When the writer is gone: what it said, all that still stands in the pipe included. */
  finish(drainMs: number): Promise<RunTreeChanges>;
}

/** Takes the descriptor over: it is closed when all is read. */
export function readTree(fd: number, bounds: TreeBounds): TreeReader {
  const stream = new TreeStream(bounds);
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const pipe = readPipe(fd, (chunk) => {
    stream.push(chunk);
    if (stream.hasBegun) begin();
    if (stream.isBroken) pipe.destroy();
    return true;
  });
  return {
    begun,
    async finish(drainMs) {
      await pipe.finish(drainMs);
      return stream.result();
    },
  };
}
