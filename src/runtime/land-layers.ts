// The end of a call that could change something of the machine: its layers land, or they are kept.

import type { Action } from "../action/action.ts";
import type { CallLayers } from "../sandbox/layer/call-layers.ts";
import { limits } from "../shared/limits.ts";
import { ok, type Result } from "../shared/result.ts";
import type { NotKept, StepOutcome } from "../tools/tool.ts";
import { landLate } from "./land-late.ts";
import type { ImportedChanges } from "./session-workspace.ts";
import type { Walk } from "./walk.ts";

const MiB = 1024 * 1024;

/** Returns the outcomes; the last one also has what landed, and what did not. */
export async function landLayers(
  layers: CallLayers,
  outcomes: readonly StepOutcome[],
  { limits: { diskMb }, keepsPartial }: Action,
  walk: Walk,
): Promise<Result<readonly StepOutcome[]>> {
  const isPartial = keepsPartial === true;
  const kept = (why: string) => ok(withLast(outcomes, { artifacts: [], notKept: notLanded(layers, why) }));
  if (!isPartial && !outcomes.every(hasEnded)) return kept("the call did not end by itself");
  const landed = await layers.land(
    (diskMb ?? limits.diskMb) * MiB,
    isPartial ? undefined : walk.context.live?.listener.signal,
  );
  if (landed === null) return kept("the caller cancelled");
  if (!landed.ok) return landed;
  const late = await landLate(layers, landed.value.heldBack, walk);
  const notKept = layers.keepHeldBack(late.heldBack).map(({ path, reason }) => ({ path, reason }));
  const files = [...landed.value.files, ...late.files];
  const { artifacts } = await walk.context.session.workspace.importChanges(null, files);
  return ok(withLast(outcomes, { artifacts, notKept }));
}

/** By itself: nobody cancelled it, and neither its time nor another limit ended it. */
function hasEnded({ outcome }: StepOutcome): boolean {
  return !outcome.timedOut && !outcome.cancelled && outcome.exitCode !== null;
}

function notLanded(layers: CallLayers, why: string): NotKept[] {
  const kept = layers.keep();
  if (kept === null) return [];
  const reason = `${why}, so nothing that it wrote landed; it is kept for a day in ${kept}`;
  return layers.layers.map(({ root }) => ({ path: root.path, reason }));
}

function withLast(outcomes: readonly StepOutcome[], { artifacts, notKept }: ImportedChanges): StepOutcome[] {
  return outcomes.map((one, index) =>
    index < outcomes.length - 1
      ? one
      : { ...one, artifacts: [...one.artifacts, ...artifacts], notKept: [...one.notKept, ...notKept] },
  );
}
