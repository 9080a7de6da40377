// Reads the changes of a call from its pipe while native/keeper writes them; a full pipe would block it forever.

import type { RunTreeChanges } from "../process/outcome.ts";
import { readPipe } from "../process/pipe-reader.ts";
import { type TreeBounds, TreeStream } from "./tree-stream.ts";

export interface TreeReader {
  /** Resolves when the first record arrives, which means that the program has ended. Never resolves if no record arrives. */
  readonly begun: Promise<void>;
  /** Call this after the writer has ended. Returns all changes, including those still in the pipe. */
  finish(drainMs: number): Promise<RunTreeChanges>;
}

/** Takes ownership of the descriptor and closes it after reading everything. */
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
