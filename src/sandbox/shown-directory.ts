// A directory of the disk that a box shows under a second name.

import { type Stats, statSync } from "node:fs";
import type { Mount } from "../process/launch.ts";
import { isWithin } from "../shared/path.ts";

export type BindMount = Extract<Mount, { kind: "bind" }>;

export interface ShownDirectory {
  readonly source: string;
  readonly target: string;
  readonly isReadOnly: boolean;
}

/**
 * SECURITY(T46, T08): a directory of the view under a second name. Every mount on it or in it is repeated there, so that what is
 * hidden, read-only or guarded at its own path is so under each name by which the box shows it.
 */
export function shownAt(onDisk: readonly BindMount[], { source, target, isReadOnly }: ShownDirectory): BindMount[] {
  const above = onDisk.filter((mount) => isWithin(source, mount.target));
  const nearest = above.reduce<BindMount | null>(
    (best, mount) => (best !== null && best.target.length > mount.target.length ? best : mount),
    null,
  );
  if (nearest === null || statAt(source) === undefined) return [];
  // Where the nearest mount shows something of ours instead, the directory lies in what is hidden.
  const isHidden = nearest.source !== nearest.target;
  const root = { ...nearest, source: isHidden ? nearest.source : source, target };
  const inside = isHidden ? [] : onDisk.filter((mount) => mount.target !== source && isWithin(mount.target, source));
  return [root, ...inside.map((mount) => ({ ...mount, target: target + mount.target.slice(source.length) }))].map(
    (mount) => ({ ...mount, writable: mount.writable && !isReadOnly }),
  );
}

/** undefined also for a name that is too long to be one, or that we may not look at: no box can show it either. */
export function statAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
