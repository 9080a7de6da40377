// Pulls what a worker's file lists into the workspace before the worker begins.
// Invariant: each pull runs once per session. The agent may change the pulled files, and a second pull must not overwrite them.

import { redact } from "../audit/redact.ts";
import type { Worker } from "../config/worker.ts";
import type { RunListener } from "../process/starter.ts";
import { canonicalJson, type Json } from "../shared/json.ts";
import type { Gate } from "./session-gate.ts";
import type { Reply } from "./reply.ts";

export interface AutoPulled {
  readonly paths: readonly string[];
  readonly reply: Reply;
}

export type PullListener = (done: number, total: number, pulled: AutoPulled) => void;

/** Makes each pull as an ordinary call, so it is judged, asked about if necessary, and recorded. Calls `told` after each pull. */
export async function autoPull(
  gate: Gate,
  { autoPull: wanted }: Worker,
  told: PullListener,
  listener: RunListener = {},
): Promise<readonly AutoPulled[]> {
  const done: AutoPulled[] = [];
  if (wanted.length === 0) return done;
  const before = pulledBefore(gate);
  for (const [index, { paths, source, onConflict }] of wanted.entries()) {
    const args = { paths, source, onConflict };
    if (before.has(textOf(args))) continue;
    const pulled = { paths, reply: await gate.call({ tool: "git_pull", args }, listener) };
    done.push(pulled);
    told(index + 1, wanted.length, pulled);
  }
  return done;
}

/** Reads from the record which pulls of this session brought files. */
function pulledBefore({ journal, session, agent }: Gate): ReadonlySet<string> {
  const texts = new Set<string>();
  for (const { call_id: id } of journal.list({ session, agent, event: "files.pulled" })) {
    const received = id === null ? undefined : journal.story(id).find(({ event }) => event === "tool.call.received");
    if (received !== undefined) texts.add(canonicalJson(received.args));
  }
  return texts;
}

/** The arguments in the form in which the record stores them. */
function textOf(args: object): string {
  return canonicalJson(redact(JSON.parse(JSON.stringify(args)) as Json));
}
