// What a worker wants in its workspace before it begins.

import type { Worker } from "../config/worker.ts";
import type { RunListener } from "../process/starter.ts";
import type { Gate } from "./gate.ts";
import type { Reply } from "./reply.ts";

export interface AutoPulled {
  readonly paths: readonly string[];
  readonly reply: Reply;
}

/** Each as a call like any other: judged, asked about where need be, and written down. `told` hears of each as it is done. */
export async function autoPull(
  gate: Gate,
  { autoPull: wanted }: Worker,
  told: (done: number, total: number, pulled: AutoPulled) => void,
  listener: RunListener = {},
): Promise<readonly AutoPulled[]> {
  const done: AutoPulled[] = [];
  for (const { paths, source, onConflict } of wanted) {
    const reply = await gate.call({ tool: "git_pull", args: { paths, source, onConflict } }, listener);
    const pulled = { paths, reply };
    done.push(pulled);
    told(done.length, wanted.length, pulled);
  }
  return done;
}
