// Real pipes for a program's output. Node's "pipes" are socket pairs, on which `echo x > /dev/stderr` fails with ENXIO. Node cannot
// make a pipe, but it can open a named one.

import { chmodSync, closeSync, constants, openSync } from "node:fs";
import { runHelper } from "../process/start.ts";

export interface PipeEnds {
  readonly readFd: number;
  readonly writeFd: number;
  readonly path: string;
}

const SMALLEST_BATCH = 8; // enough for two calls
const LARGEST_BATCH = 256;

export class PipePool {
  readonly #directory: string;
  readonly #mkfifo: string;
  readonly #free: string[] = [];
  #made = 0;

  /** `directory` is private to this process. */
  constructor(directory: string, mkfifo: string) {
    this.#directory = directory;
    this.#mkfifo = mkfifo;
  }

  /**
   * Opens a pipe that nobody else holds. The caller closes both ends and then gives the path back. "lasting": the writer also holds a
   * read end, so it never gets SIGPIPE.
   */
  open(kind: "plain" | "lasting" = "plain"): PipeEnds {
    const path = this.#free.pop() ?? this.#make();
    const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return { readFd, writeFd: openSync(path, kind === "plain" ? constants.O_WRONLY : constants.O_RDWR), path };
    } catch (error) {
      closeSync(readFd);
      throw error;
    }
  }

  giveBack(path: string): void {
    chmodSync(path, 0o600); // a program can change the mode through its descriptor, and so lock the gate out
    this.#free.push(path);
  }

  #make(): string {
    // Doubles the number of pipes, because making many costs little more than making one.
    const batch = Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, this.#made));
    const paths = Array.from({ length: batch }, () => `${this.#directory}/pipe-${this.#made++}`);
    const { exitCode, stderr } = runHelper(this.#mkfifo, ["-m", "600", ...paths]);
    if (exitCode !== 0) throw new Error(`mkfifo could not make a pipe: ${stderr.trim()}`);
    this.#free.push(...paths.slice(1));
    return paths[0] as string;
  }
}
