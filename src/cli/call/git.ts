// `sallyport git log -n 5`: one Git call, typed as people type it. The repository is the one around the current directory.

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

/** The nearest directory upwards that holds a .git; else where we are, for the tool to say what is missing. */
function findAround(directory: string): string {
  for (let current = directory; ; current = dirname(current)) {
    if (existsSync(join(current, ".git"))) return current;
    if (current === dirname(current)) return directory;
  }
}
