// Asks about files that others execute later and that a finished call wrote, and lands them after the yes. They have a walk of their own:
// judged, approved, recorded, and then landed by the function that lands everything else.
// Invariant: a yes is for the path, the mode and the bytes of each file. Without it they stay held back.

import type { CallLayers, LandedLayers } from "../sandbox/layer/call-layers.ts";
import type { HeldBack } from "../sandbox/layer/landing-plan.ts";
import type { Failure } from "../shared/failure.ts";
import type { LateFile } from "../action/action.ts";
import type { Effect } from "../action/effect.ts";
import type { Judged, Walk } from "./walk.ts";

/** What landed by a yes, and all that did not, with the reason. */
export async function landLate(layers: CallLayers, heldBack: readonly HeldBack[], walk: Walk): Promise<LandedLayers> {
  const held = heldBack.filter(({ part }) => part !== null);
  const { live } = walk.context;
  if (held.length === 0 || live === null) return { files: [], heldBack };
  const others = heldBack.filter(({ part }) => part === null);
  const stay = (why: Failure): LandedLayers => ({
    files: [],
    heldBack: [...others, ...held.map((one) => ({ ...one, reason: reasonWith(one, why) }))],
  });
  const files = layers.lateFiles(held);
  if (!files.ok) return stay(files.failure);
  if (files.value.length === 0) return { files: [], heldBack }; // only empty directories
  const judged = judgeLate(files.value, walk);
  const grant = await walk.grant(judged, "person");
  if (!grant.ok) return stay(grant.failure);
  live.record.beginning(judged.action, judged.verdict, grant.value);
  const landed = await layers.landLate(held, grant.value, live.listener.signal);
  if (!landed.ok) return stay(landed.failure);
  return { files: landed.value.files, heldBack: [...others, ...landed.value.heldBack] };
}

/** The same files by the same agent make the same digest: an answer that came too late counts when a call writes them again. */
function judgeLate(files: readonly LateFile[], walk: Walk): Judged {
  const { tool, session, capability } = walk.context;
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  return walk.judge({
    tool,
    agent: session.id.agent,
    steps: [],
    operation: { name: "land", path: count, mode: "rw", details: {}, late: files },
    contents: [],
    stopsAtFailure: true,
    view: { paths: [], links: [], workspace: { kind: "scratch" }, network: "none" },
    effects: [{ kind: "tool", tool }, ...files.map(({ path }): Effect => ({ kind: "write", path, later: true }))],
    limits: capability.limits,
  });
}

function reasonWith({ reason }: HeldBack, { message, hint }: Failure): string {
  const told = hint === undefined ? message : `${message} ${hint}`;
  return `${reason}, and a yes is missing: ${told.replace(/\.$/, "")}`;
}
