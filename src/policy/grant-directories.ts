// Adds directories to an agent's grants: those that the configuration shows at /workspace, and those that a call needs
// beyond its grants. What the grants hide or make read-only inside such a directory stays hidden or read-only: the answer is the same
// at a file's own path, at /workspace, through a mount, and in every tool.

import { isWithin } from "../shared/path.ts";
import { type Capability, createCapability, fsGrantFor, type FsGrant, type NarrowerCapability } from "./capability.ts";

export interface AddedDirectory {
  /** The real path. */
  readonly path: string;
  readonly mode: "r" | "rw";
}

/**
 * `granted` is everything that the agent was granted. `narrowed` is what a worker file left of it, or the same. A worker file cannot take the
 * workspace away, and it cannot open what `granted` closes inside it.
 */
export function grantDirectories(
  granted: Capability,
  narrowed: Capability,
  directories: readonly AddedDirectory[],
): Capability {
  return directories.reduce((capability, directory) => addDirectory(granted, capability, directory), narrowed);
}

function addDirectory(granted: Capability, capability: Capability, { path, mode }: AddedDirectory): Capability {
  const { fsGrants } = capability;
  if (mode === "r" && fsGrants.some((grant) => isWithin(path, grant.path))) return capability;
  // A directory that a worker file made read-only stays read-only.
  if (capability !== granted && fsGrants.some((grant) => grant.path === path)) return capability;
  const whole = createCapability({ ...granted, fsGrants: withRoot(granted.fsGrants, path, mode) });
  const inside = whole.fsGrants.filter((grant) => isWithin(grant.path, path));
  if (inside.length === 0) return capability; // all of it is hidden
  // SECURITY(T46): only the directory itself takes the mode. Grants inside it keep theirs, and what is hidden stays hidden.
  return createCapability({ ...capability, fsGrants: withRoot([...inside, ...fsGrants], path, mode) });
}

/**
 * Grants all of a draft, because its changes go to a layer of the session. What the grants hide in the project stays hidden, and grants
 * inside keep their mode. Null if the agent may not see the project. `narrowers`: what a worker file leaves of the grants; if it says of
 * the project only that it may be seen, the draft may not be changed.
 */
export function grantDraft(
  capability: Capability,
  project: string,
  narrowers: readonly NarrowerCapability[] = [],
): Capability | null {
  if (fsGrantFor(capability, project, "r") === undefined) return null;
  const mode = narrowers.some(({ fsGrants = [] }) => coveringMode(fsGrants, project) === "r") ? "r" : "rw";
  return createCapability({ ...capability, fsGrants: withRoot(capability.fsGrants, project, mode) });
}

/** Of the longest grant that covers the path. Undefined if none does. */
function coveringMode(grants: readonly FsGrant[], path: string): FsGrant["mode"] | undefined {
  const covering = grants.filter((grant) => isWithin(path, grant.path));
  return covering.toSorted((a, b) => a.path.length - b.path.length).at(-1)?.mode;
}

/** One grant on the path itself, with this mode, that hides everything that the existing grants on it hide. */
function withRoot(grants: readonly FsGrant[], path: string, mode: FsGrant["mode"]): FsGrant[] {
  const own = grants.filter((grant) => grant.path === path);
  const hide = [...new Set(own.flatMap((grant) => grant.hide))];
  const shown = [...new Set(own.flatMap((grant) => grant.shown ?? []))];
  return [...grants.filter((grant) => grant.path !== path), { path, mode, hide, shown }];
}
