// The real path of what a tool or a program names below /workspace. Grants, hidden files and rules are about real paths.

import type { ViewMount } from "../action/action.ts";
import { isWithin } from "../shared/path.ts";

export interface ShownDirectories {
  readonly workspace: { onDisk(path: string): string | null };
  /** Directories of the machine that programs see in it. */
  readonly mounts: readonly ViewMount[];
}

/** What lies in memory is nowhere else: its path stays as it is. */
export function realPathOf(path: string, { workspace, mounts }: ShownDirectories): string {
  if (!isWithin(path, "/workspace")) return path;
  const mount = mounts.find(({ target }) => isWithin(path, target));
  if (mount !== undefined) return mount.source + path.slice(mount.target.length);
  return workspace.onDisk(path) ?? path;
}
