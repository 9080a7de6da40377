// How long a connection of a program may be silent before the gate ends it.
// What has just got an answer, or has sent nothing, is idle. What has sent something waits for an answer, which may take long: a model may
// work for minutes before its first byte.

import type { Socket } from "node:net";

/** How many times as long as an idle connection one may wait for an answer. */
const ANSWER_TIMES = 10;

export class Silence {
  #isWaiting = false;
  readonly #socket: Socket;
  readonly #idleMs: number;
  readonly #onSilent: () => void;

  /** Reads and writes of the socket begin the time anew. */
  constructor(socket: Socket, idleMs: number, onSilent: (why: string) => void) {
    this.#socket = socket;
    this.#idleMs = idleMs;
    this.#onSilent = () => onSilent(this.#why());
    socket.setTimeout(idleMs);
    socket.on("timeout", this.#onSilent);
  }

  /** The program has sent something. */
  sent(): void {
    if (!this.#isWaiting) this.#socket.setTimeout(this.#idleMs * ANSWER_TIMES);
    this.#isWaiting = true;
  }

  answered(): void {
    if (this.#isWaiting) this.#socket.setTimeout(this.#idleMs);
    this.#isWaiting = false;
  }

  /** From now on others say how long. */
  end(): void {
    this.#socket.off("timeout", this.#onSilent);
  }

  #why(): string {
    const seconds = (this.#idleMs * (this.#isWaiting ? ANSWER_TIMES : 1)) / 1000;
    return this.#isWaiting ? `the host did not answer for ${seconds} s` : `nothing was sent for ${seconds} s`;
  }
}
