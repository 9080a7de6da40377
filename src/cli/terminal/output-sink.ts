// Passes a program's live output to a stream of the command: byte for byte into a pipe or file, and made safe on a terminal.

import { OutputDisplay } from "../../shared/display.ts";
import { ClosedOutput, type Screen } from "./terminal.ts";

export interface SinkOptions {
  readonly raw: boolean;
  /** After the abort, the sink no longer waits for a slow reader. */
  readonly signal: AbortSignal;
  readonly onClosed: () => void;
}

export interface OutputSink {
  /** A returned promise stops the program until the reader has caught up. The sink copies a chunk that it keeps. */
  push(chunk: Uint8Array): Promise<void> | undefined;
  end(): Promise<void>;
}

export function createOutputSink(screen: Screen, { raw, signal, onClosed }: SinkOptions): OutputSink {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const display = new OutputDisplay();
  const isInert = screen.isTerminal && !raw;
  let isBehind = false;
  const write = (data: string | Uint8Array): Promise<void> | undefined => {
    // The last output of a cancelled program is printed, unless that would mean waiting.
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
  // One listener serves all waits: racing each wait against one promise would keep every one of them in memory.
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
