// Loads the unchanged lines that a diff leaves out, on request.
// Invariant: at most one part of each file is loading at a time.

import type { DiffLine } from "../../src/action/diff-file.ts";
import type { ContextLines } from "../../src/web/api.ts";
import type { Gap } from "./context.ts";

export type LoadContext = (n: number, from: number, to: number) => Promise<ContextLines>;

export interface ContextAsked {
  readonly hunk: number;
  readonly is: "coming" | "failed";
}

export class ContextLoader {
  readonly #load: LoadContext;
  readonly #changed: (n: number) => void;
  readonly #asked = new Map<number, ContextAsked>();

  constructor(load: LoadContext, changed: (n: number) => void) {
    this.#load = load;
    this.#changed = changed;
  }

  at(n: number): ContextAsked | null {
    return this.#asked.get(n) ?? null;
  }

  ask(n: number, { hunk, from, to }: Gap, come: (lines: readonly DiffLine[]) => void): void {
    if (this.#asked.get(n)?.is === "coming") return;
    this.#asked.set(n, { hunk, is: "coming" });
    this.#changed(n);
    this.#load(n, from, to)
      .then(({ lines }) => {
        if (lines.length !== to - from) throw new Error("not as many lines as there are");
        this.#asked.delete(n);
        come(lines);
      })
      .catch(() => {
        this.#asked.set(n, { hunk, is: "failed" });
        this.#changed(n);
      });
  }
}
