// A program started as node starts one, with nothing around it: what everything here is measured against. A small process
// of its own starts it, and measures how long it took.

import { type ChildProcess, fork } from "node:child_process";
import type { StdioOptions } from "./mcp-stdio.ts";
import type { SmallAnswer, SmallRequest } from "./small-process.ts";
import type { SpawnOptions } from "./spawn-here.ts";

export interface Spawned {
  readonly printed: string;
  readonly tookMs: number;
}

const waiting = new Map<number, (answer: SmallAnswer) => void>();
let small: ChildProcess | undefined;
let last = 0;

/** Waits for the exit and the end of both streams. Anything but exit code 0 is thrown. */
export async function bareSpawn(file: string, args: readonly string[], options: SpawnOptions = {}): Promise<Spawned> {
  return await ask({ kind: "spawn", file, args, options });
}

/** How long an MCP server takes from its start until it has answered these methods, after `initialize`. */
export async function mcpStartMs(
  words: readonly string[],
  options: StdioOptions,
  methods: readonly string[],
): Promise<number> {
  return (await ask({ kind: "mcp", words, options, methods })).tookMs;
}

async function ask(request: SmallRequest): Promise<Spawned> {
  const id = ++last;
  const answered = new Promise<SmallAnswer>((resolve) => waiting.set(id, resolve));
  smallProcess().send({ id, ...request });
  const answer = await answered;
  if ("error" in answer) throw new Error(answer.error);
  return answer;
}

function smallProcess(): ChildProcess {
  if (small !== undefined) return small;
  small = fork(new URL("small-process.ts", import.meta.url), { execArgv: [] });
  small.on("message", (answer: SmallAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  small.on("exit", (code) => {
    for (const [id, settle] of waiting) settle({ id, error: `the small process ended with ${code}` });
  });
  return small;
}
