// Keeps out of a draft what the person makes in the project later: files in directories where the project shows through, and files that
// the agent's grants hide. It removes them in the mounted draft, which marks them as deleted there and leaves the project as it is.

import { lstatSync } from "node:fs";
import type { Capability } from "../policy/capability.ts";
import type { DraftRecord } from "../sandbox/draft-directory.ts";
import { type DraftLayer, removeShown, withLayer } from "../sandbox/draft-removal.ts";
import type { DraftParts } from "../sandbox/sandbox.ts";
import { namesIn } from "../process/names-in.ts";
import { type Failure, failure } from "../shared/failure.ts";
import { joinPath } from "../shared/path.ts";
import { IgnoredFiles } from "../workspace/ignored-files.ts";
import { parseWorkspacePath } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { hiddenIn, hidePatterns, isOfGit } from "./hidden-in-project.ts";

export interface Shielded {
  readonly record: DraftRecord;
  /** Where the gate reaches the mounted draft. */
  readonly mounted: string;
  readonly files: Workspace;
  /** The state of directories in which each new name is ignored by git, or hidden, so that they need not be read again. */
  readonly unchanged: Map<string, string>;
  /** See `RemovalPlaces`. */
  readonly attempted: Set<string>;
}

export interface Shielding {
  /** How many paths it removed. */
  readonly count: number;
  /** Why no call may begin. */
  readonly failure: Failure | null;
  /** Programs that run can read what could not be removed. */
  readonly isExposed: boolean;
}

interface DraftPlace {
  readonly project: string;
  readonly directory: string;
  readonly parts: DraftParts;
}

/** Call this before each call, and now and then while a box runs. */
export async function shieldDraft(
  draft: Shielded,
  { project, directory, parts }: DraftPlace,
  capability: Capability,
): Promise<Shielding> {
  const { record, mounted, attempted } = draft;
  // SECURITY(T48): what was copied and committed when the draft began cannot be hidden any more.
  if (hidePatterns(project, capability) !== record.hide) return { count: 0, failure: otherGrants, isExposed: false };
  const later = record.isLive ? [] : await withLayer(directory, (layer) => madeLater(project, draft, layer));
  const hidden = hiddenIn(project, capability, parts, record.sealed);
  const paths = [...hidden.paths, ...later];
  const { count, exposed } = await removeShown({ project, directory, mounted, attempted }, paths);
  const isExposed = exposed.length > 0;
  return { count, failure: isExposed ? cannotHide(project, exposed) : hidden.failure, isExposed };
}

const otherGrants = failure("changed", "What this agent may see of the project has changed since its draft began.", {
  hint: "With the grants as they were, its calls work again. Another session begins with the grants as they are now.",
});

function cannotHide(project: string, [path = "", ...others]: readonly string[]): Failure {
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return failure("sandbox_unavailable", `In this draft, this cannot be hidden: ${joinPath(project, path)}${more}.`, {
    hint: "The gate may not remove it from the draft. Move it out of the project, or go on in another session, which begins without it.",
  });
}

/** What the project has in directories that show through, and had not when the draft began, without what git ignores. */
async function madeLater(
  project: string,
  { record, files, unchanged }: Shielded,
  layer: DraftLayer,
): Promise<string[]> {
  const rules = new IgnoredFiles(files);
  const later: string[] = [];
  for (const [directory, names] of Object.entries(record.merged)) {
    const state = settledState(joinPath(project, directory));
    if (state !== null && unchanged.get(directory) === state) continue;
    const known = new Set(names);
    const unknown = namesIn(joinPath(project, directory)).filter((name) => !known.has(name));
    const shown: string[] = [];
    for (const name of unknown) {
      const path = directory === "" ? name : `${directory}/${name}`;
      if (isOfGit(path)) continue; // the person has made it a repository
      if (!layer.covers(path) && !(await isIgnored(path, rules))) shown.push(path);
    }
    if (state !== null && shown.length === 0) unchanged.set(directory, state);
    for (const path of shown) later.push(path);
  }
  return later;
}

async function isIgnored(path: string, rules: IgnoredFiles): Promise<boolean> {
  const parsed = parseWorkspacePath(path);
  return parsed.ok && ((await rules.has(parsed.value)) || (await rules.hasDirectory(parsed.value)));
}

// File times advance every few milliseconds: a directory that is read right after a change may change again without another time.
const SETTLED_MS = 100;

/** Differs after each change of the names in a directory. Null if it has changed just now, or is none. Taken before it is read. */
function settledState(directory: string): string | null {
  const nowMs = Date.now();
  try {
    // Compares ctime, because any owner can set mtime back.
    const { dev, ino, ctimeMs } = lstatSync(directory);
    return nowMs - ctimeMs > SETTLED_MS ? `${dev} ${ino} ${ctimeMs}` : null;
  } catch {
    return null; // gone, or not to be read
  }
}
