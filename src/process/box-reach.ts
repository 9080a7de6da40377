// Connections to a server in the network of a running box. native/keeper makes them there, and sends them to this process.

import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";

export class BoxReach {
  readonly #child: ChildProcess;
  readonly #waiting: ((socket: Socket | null) => void)[] = [];
  #isOver = false;

  /** `child`: of `startReach`. */
  constructor(child: ChildProcess) {
    this.#child = child;
    child.on("message", (_, socket) => this.#waiting.shift()?.((socket as Socket | undefined) ?? null));
    child.stdin?.on("error", () => undefined); // "exit" follows
    const end = (): void => {
      this.#isOver = true;
      for (const give of this.#waiting.splice(0)) give(null);
    };
    child.once("error", end).once("exit", end);
  }

  /** Null if nobody listens there any more. */
  connect(): Promise<Socket | null> {
    if (this.#isOver) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#child.stdin?.write("c");
    });
  }

  close(): void {
    this.#child.stdin?.end();
    if (this.#child.connected) this.#child.disconnect();
  }
}
