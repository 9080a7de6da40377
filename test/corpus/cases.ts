// The corpus: calls that must be refused, contained, sanitised or allowed. Read whole; only what has its tool is run.

import { readFileSync } from "node:fs";

export interface CorpusCase {
  readonly id: string;
  readonly category: string;
  readonly tool: string;
  readonly input: unknown;
  readonly expect: "refuse" | "contain" | "sanitize" | "allow" | "ask";
  readonly why: string;
  readonly check?: string;
  readonly setup?: string;
  /** stub: to be decided only, and never started. */
  readonly run?: "real" | "stub";
  /** live: without us the bad thing really happens, and a test shows it. inert: it is harmless on a plain machine too. */
  readonly control?: "live" | "inert";
}

/** Cases whose input is a call of a tool that is not there yet, by the issue that brings it. */
export const comesLater: ReadonlyMap<string, string> = new Map();

/** Cases that are held in part only, and how far. Said aloud at the end of each run. */
export const notHeld: ReadonlyMap<string, string> = new Map([
  [
    "proc-lim-disk-total",
    "held at 256 MiB for /tmp, /workspace and /dev/shm; what a call writes to directories that are granted rw is bounded by limits.disk_mb, 2 GiB",
  ],
]);

export function loadCases(tools: readonly string[]): CorpusCase[] {
  const text = readFileSync(new URL("cases.jsonl", import.meta.url), "utf8");
  const all = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as CorpusCase);
  return all.filter((one) => tools.includes(one.tool));
}
