// Why an agent cannot have a draft of the project. If the configuration does not ask for a draft, a grant that lets programs change the
// project directly is a reason too.

import { statSync } from "node:fs";
import type { DraftConfig } from "../config/workspace-config.ts";
import { type Capability, fsGrantFor, writablePaths } from "../policy/capability.ts";
import type { Probe } from "../sandbox/probe.ts";
import { isWithin } from "../shared/path.ts";

/** Null if nothing speaks against one. Whether it can be mounted, `draftTrialProblem` tries. */
export function draftProblem(
  { path: project, isWritten }: DraftConfig,
  capability: Capability,
  probe: Probe,
): string | null {
  if (fsGrantFor(capability, project, "r") === undefined) return "this agent may not see the project";
  if (project === "/") return "the project is the whole file system, of which there is no draft";
  if (statSync(project, { throwIfNoEntry: false })?.isDirectory() !== true) return "the project is no directory";
  const writable = writablePaths(capability);
  // SECURITY(T48): a box that can change a directory above could put another directory in the project's place.
  const above = writable.find((path) => path !== project && isWithin(project, path));
  if (above !== undefined) return `this agent may change ${above}, in which the project lies; grant that with mode r`;
  // Somebody wrote that programs change these files directly. In a draft they would change the layer alone.
  const inside = writable.find((path) => isWithin(path, project));
  if (inside !== undefined && !isWritten)
    return `this agent may change ${inside} directly; workspace: { kind: draft } would make a layer of it`;
  if (probe.problem !== null) return probe.problem.message;
  return probe.overlay ? null : "this machine cannot mount a layer over a directory";
}
