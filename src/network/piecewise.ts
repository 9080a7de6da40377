// Reads a socket piece by piece, and keeps what came along with a piece.

import type { Socket } from "node:net";

export class PiecewiseReader {
  readonly socket: Socket;
  #waiting: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** What has been read, and not been taken. */
  get rest(): Buffer {
    return this.#waiting;
  }

  /** Null: the stream ends before that. */
  async take(count: number): Promise<Buffer | null> {
    if (!(await this.#has(count))) return null;
    const taken = this.#waiting.subarray(0, count);
    this.#waiting = this.#waiting.subarray(count);
    return taken;
  }

  /** Null: there is none. It stays where it is. */
  async firstByte(): Promise<number | null> {
    return (await this.#has(1)) ? (this.#waiting[0] ?? null) : null;
  }

  async #has(count: number): Promise<boolean> {
    while (this.#waiting.length < count) {
      // All that is there: as long as the stream keeps some, node says again and again that it is readable.
      const chunk = this.socket.read() as Buffer | null;
      if (chunk !== null) this.#waiting = Buffer.concat([this.#waiting, chunk]);
      else if (this.socket.readableEnded || this.socket.destroyed) return false;
      else await readable(this.socket);
    }
    return true;
  }
}

const events = ["readable", "end", "close"];

/** Settles when there is more to read, or never will be. */
function readable(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      for (const event of events) socket.off(event, settle);
      resolve();
    };
    for (const event of events) socket.on(event, settle);
  });
}
