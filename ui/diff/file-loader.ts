// Loads the hunks of files, a few at a time, those in view first.
// Invariant: each file is requested once. It is requested again only if that failed and the file is wanted again.

import type { FileHunks } from "../../src/web/api.ts";
import { type FileLines, fileLines } from "./file-lines.ts";

export type FileState =
  | { readonly is: "absent" | "coming" }
  | { readonly is: "here"; readonly lines: FileLines }
  | { readonly is: "failed"; readonly why: string };

const AT_ONCE = 4;
const absent: FileState = { is: "absent" };
const coming: FileState = { is: "coming" };

export class FileLoader {
  readonly #load: (n: number) => Promise<FileHunks>;
  readonly #changed: (n: number) => void;
  readonly #states = new Map<number, FileState>();
  #wanted: readonly number[] = [];
  #running = 0;

  constructor(load: (n: number) => Promise<FileHunks>, changed: (n: number) => void) {
    this.#load = load;
    this.#changed = changed;
  }

  at(n: number): FileState {
    return this.#states.get(n) ?? absent;
  }

  lines(n: number): FileLines | null {
    const state = this.at(n);
    return state.is === "here" ? state.lines : null;
  }

  /** Replaces the list of wanted files, in order of priority. A file of the old list that has not begun to load is dropped. */
  want(files: readonly number[]): void {
    this.#wanted = files.filter((n) => this.at(n).is === "absent");
    while (this.#running < AT_ONCE && this.#wanted.length > 0) this.#begin();
  }

  retry(n: number): void {
    if (this.at(n).is !== "failed") return;
    this.#states.delete(n);
    this.#changed(n);
    this.want([n, ...this.#wanted]);
  }

  /** Replaces the lines of the file after more of them are shown. */
  replace(n: number, lines: FileLines): void {
    this.#states.set(n, { is: "here", lines });
  }

  #begin(): void {
    const [n, ...rest] = this.#wanted;
    this.#wanted = rest;
    if (n === undefined) return;
    this.#running += 1;
    this.#states.set(n, coming);
    this.#load(n)
      .then(
        ({ hunks, newLines }): FileState => ({ is: "here", lines: fileLines(hunks, newLines ?? null) }),
        (error: unknown): FileState => ({ is: "failed", why: error instanceof Error ? error.message : "" }),
      )
      .then((state) => {
        this.#running -= 1;
        this.#states.set(n, state);
        this.#changed(n);
        this.want(this.#wanted);
      })
      .catch(() => {});
  }
}
