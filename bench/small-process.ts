// A small process that starts what the others are measured against, and measures it itself. Starting a process takes the
// longer the more memory its parent has, and the bench comes to hold a lot: its own base lines would look slow.
// Speaks with bench/bare-spawn.ts, which starts it.

import { type StdioOptions, openStdio } from "./mcp-stdio.ts";
import { spawnHere, type SpawnOptions } from "./spawn-here.ts";

export type SmallRequest =
  | {
      readonly kind: "spawn";
      readonly file: string;
      readonly args: readonly string[];
      readonly options: SpawnOptions;
    }
  | {
      readonly kind: "mcp";
      readonly words: readonly string[];
      readonly options: StdioOptions;
      readonly methods: readonly string[];
    };

export type SmallAnswer =
  | { readonly id: number; readonly tookMs: number; readonly printed: string }
  | { readonly id: number; readonly error: string };

async function measured(request: SmallRequest): Promise<{ tookMs: number; printed: string }> {
  const startedMs = performance.now();
  if (request.kind === "spawn") {
    const printed = await spawnHere(request.file, request.args, request.options);
    return { tookMs: performance.now() - startedMs, printed };
  }
  const server = await openStdio(request.words, request.options);
  for (const method of request.methods) await server.request(method, {});
  const tookMs = performance.now() - startedMs;
  await server.close();
  return { tookMs, printed: "" };
}

process.on("message", ({ id, ...request }: SmallRequest & { id: number }) => {
  const answer = (one: SmallAnswer) => process.send?.(one);
  measured(request).then(
    (found) => answer({ id, ...found }),
    (error: unknown) => answer({ id, error: error instanceof Error ? error.message : String(error) }),
  );
});
