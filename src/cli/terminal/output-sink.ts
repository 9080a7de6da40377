// A program's live output on its way to one of our streams: byte for byte into a pipe or file, made inert on a terminal.

import { OutputDisplay } from "../../shared/display.ts";
import { ClosedOutput, type Screen } from "./terminal.ts";

export interface SinkOptions {
  readonly raw: boolean;
  /** Once aborted, nothing waits for a slow reader any more. */
  readonly signal: AbortSignal;
  readonly onClosed: () => void;
}

export interface OutputSink {
  /** A promise holds the program back until the reader has caught up. The chunk is copied where it is kept. */
  push(chunk: Uint8Array): Promise<void> | undefined;
  end(): Promise<void>;
}

export function createOutputSink(screen: Screen, { raw, signal, onClosed }: SinkOptions): OutputSink {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const display = new OutputDisplay();
  const isInert = screen.isTerminal && !raw;
  let isBehind = false;
  const write = (data: string | Uint8Array): Promise<void> | undefined => {
    // Last words of a cancelled program are still printed, unless they would have to be waited for.
    if (data.length === 0 || (signal.aborted && isBehind)) return undefined;
    const drained = screen.write(data);
    isBehind = drained !== undefined;
    return drained?.then(
      () => void (isBehind = false),
      (error: unknown) => {
        if (!(error instanceof ClosedOutput)) throw error;
        onClosed();
      },
    );
  };
  // One listener for all waits: a promise that many waits were raced against would keep each of them.
  let release: (() => void) | undefined;
  signal.addEventListener("abort", () => release?.());
  return {
    push(chunk) {
      const waiting = write(isInert ? display.push(decoder.decode(chunk, { stream: true })) : Buffer.from(chunk));
      if (waiting === undefined || signal.aborted) return undefined;
      return new Promise((resolve, reject) => {
        release = resolve;
        waiting.then(resolve, reject);
      });
    },
    async end() {
      if (isInert) await write(display.push(decoder.decode()) + display.end());
    },
  };
}
