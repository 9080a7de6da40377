// `sallyport git log -n 5`: makes one Git call from a command line as people type it. The repository is the one that contains
// the current directory.

import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { splitTypedWords } from "../../git/read/from-words.ts";
import { approversFor } from "../approvers.ts";
import { type GateFlags, openGateFromFlags } from "../open-gate.ts";
import { runLive } from "./run-live.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

export interface GitFlags extends GateFlags {
  readonly repo?: string;
  readonly raw?: boolean;
}

export async function gitCommand(words: readonly string[], flags: GitFlags, terminal: Terminal): Promise<number> {
  const typed = splitTypedWords(words);
  if (!typed.ok) throw new UsageError(`git: ${typed.failure.message}`, typed.failure.hint);
  const repo = flags.repo === undefined ? findAround(resolve(flags.project ?? ".")) : resolve(flags.repo);
  const gate = openGateFromFlags(flags, terminal.environment, await approversFor(flags, terminal));
  try {
    return await runLive(gate, { tool: "Git", args: { repo, ...typed.value } }, flags.raw === true, terminal);
  } finally {
    gate.close();
    await gate.closed;
  }
}

/** The nearest parent directory with a .git. Without one it is the current directory, and the tool reports what is missing. */
function findAround(directory: string): string {
  for (let current = directory; ; current = dirname(current)) {
    if (existsSync(join(current, ".git"))) return current;
    if (current === dirname(current)) return directory;
  }
}
