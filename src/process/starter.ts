// The interface for starting programs. There may be several implementations: a box for each call, or a long-lived box.

import { failure } from "../shared/failure.ts";
import type { Result } from "../shared/result.ts";
import type { BoxNetwork } from "./box-network.ts";
import type { Launch } from "./launch.ts";
import type { Outcome } from "./outcome.ts";

export type OutputStream = "stdout" | "stderr";

export interface RunListener {
  /**
   * Called with each chunk as it arrives. The chunk is valid only during the call. While a returned promise is pending, the program's
   * output is held back.
   */
  readonly onOutput?: ((stream: OutputStream, chunk: Uint8Array) => void | Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The program's standard input, if the step has no text for it. For input that is too large for a text. */
  readonly input?: AsyncIterable<Uint8Array> | undefined;
  /** If present, the program gets a terminal of the box: `input` is what is typed there, and `onOutput` gets what is drawn. */
  readonly terminal?: TerminalSizes | undefined;
  /** Takes the listeners of a box that reaches single hosts. */
  readonly network?: BoxNetwork | undefined;
  /** Called once with the first process of a box that has a network of its own, after it has run for a while. Returns what ends that. */
  readonly onRunning?: ((pid: number) => () => void) | undefined;
  /** Progress of the gate's own work: files read, objects sent. `total` is null if it is not known. */
  readonly onProgress?: ((done: number, total: number | null, what: string) => void) | undefined;
}

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** The sizes of a terminal over time. */
export interface TerminalSizes {
  readonly size: TerminalSize;
  /** Calls `resized` at each change. Returns what stops that. */
  watch(resized: (size: TerminalSize) => void): () => void;
}

/** A draft cannot be entered, because the process that keeps it mounted was killed. Another one can be started. */
export const holderGone = failure(
  "sandbox_unavailable",
  "The process that keeps the draft mounted has ended. Nothing ran.",
  { hint: "Call again." },
);

export interface Starter {
  readonly name: string;
  /**
   * A Failure if nothing ran; an Outcome if the program ran, however it ended. The starter calls `dispatched` while it builds the
   * box. The program starts after `dispatched` has returned and its promise is fulfilled. If `dispatched` throws, so does this, and
   * nothing has run.
   */
  start(launch: Launch, listener: RunListener, dispatched: () => void | Promise<void>): Promise<Result<Outcome>>;
}
