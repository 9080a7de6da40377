// The way programs are started. There may be several: a box per call, or a long-lived one that starts calls.

import type { Result } from "../shared/result.ts";
import type { Launch } from "./launch.ts";
import type { Outcome } from "./outcome.ts";

export type OutputStream = "stdout" | "stderr";

export interface RunListener {
  /** Each piece as it arrives. The chunk is only valid during the call; a promise holds the program back. */
  readonly onOutput?: ((stream: OutputStream, chunk: Uint8Array) => void | Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What the program reads on its standard input, where the step has no text of its own: more than a text should be. */
  readonly input?: AsyncIterable<Uint8Array> | undefined;
  /** How far the gate's own work has come: files read, objects sent. `total` is null where nobody knows. */
  readonly onProgress?: ((done: number, total: number | null, what: string) => void) | undefined;
}

export interface Starter {
  readonly name: string;
  /**
   * A Failure when nothing ran; an Outcome when the program did, however it ended. `dispatched` is called while the box
   * is being built: the program starts when it has returned, and its promise is fulfilled. What it throws is thrown, and
   * nothing ran.
   */
  start(launch: Launch, listener: RunListener, dispatched: () => void | Promise<void>): Promise<Result<Outcome>>;
}
