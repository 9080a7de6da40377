// A directory on the disk that a box shows at a second path.

import { type Stats, statSync } from "node:fs";
import type { Mount } from "../process/launch.ts";
import { isWithin } from "../shared/path.ts";

export type BindMount = Extract<Mount, { kind: "bind" }>;
/** A path of the machine's disk, mounted at its own path: as it is, or in a layer of the call. */
export type DiskMount = BindMount | Extract<Mount, { kind: "layer" }>;

export interface ShownDirectory {
  readonly source: string;
  readonly target: string;
  readonly isReadOnly: boolean;
}

/**
 * SECURITY(T46): mounts a directory of the view at a second path. It repeats every mount on or in the directory, so that a path
 * that is hidden, read-only or in a layer is so at both paths.
 */
export function shownAt(onDisk: readonly DiskMount[], { source, target, isReadOnly }: ShownDirectory): DiskMount[] {
  const above = onDisk.filter((mount) => isWithin(source, mount.target));
  const nearest = above.reduce<DiskMount | null>(
    (best, mount) => (best !== null && best.target.length > mount.target.length ? best : mount),
    null,
  );
  if (nearest === null || statAt(source) === undefined) return [];
  // If the nearest mount shows another source, the directory lies in a hidden path.
  const isHidden = nearest.source !== nearest.target;
  // A layer shows a whole directory: src/sandbox/layer/layer-roots.ts.
  if (nearest.kind === "layer" && nearest.source !== source) throw new TypeError(`${source} has no layer of its own`);
  const root: DiskMount = { ...nearest, source: isHidden ? nearest.source : source, target };
  const inside = isHidden ? [] : onDisk.filter((mount) => mount.target !== source && isWithin(mount.target, source));
  return [root, ...inside.map((mount) => ({ ...mount, target: target + mount.target.slice(source.length) }))].map(
    (mount) => ({ ...mount, writable: mount.writable && !isReadOnly }),
  );
}

/** Undefined also if the name is too long or the gate lacks permission, because then no box can show the path either. */
export function statAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
