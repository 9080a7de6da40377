// One path that a call may change, and where it changes it. A directory has an overlay; of a file, the call gets a copy.

import { type BigIntStats, chmodSync, chownSync, copyFileSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { withPlainFile } from "../../process/plain-file.ts";
import { baseName, isWithin, parentPath } from "../../shared/path.ts";
import type { ChangedPlace } from "./landing-plan.ts";
import { type LayerEntry, readLayerChanges } from "./layer-changes.ts";
import type { LayerRoot } from "./layer-roots.ts";

export interface Layer {
  readonly root: LayerRoot;
  /** Has `upper`, where the changes are, and what else an overlay needs. */
  readonly directory: string;
  /** Of a file: the copy as it was made. Null for a directory. */
  readonly copied: BigIntStats | null;
}

export function makeLayer(root: LayerRoot, directory: string): Layer {
  const upper = `${directory}/upper`;
  for (const path of [directory, `${directory}/work`, upper]) mkdirSync(path, { mode: 0o700 });
  if (root.kind === "directory") {
    copyOwner(root.path, upper, root.mode | 0o700); // programs see the overlay's top as this directory is
    return { root, directory, copied: null };
  }
  const copy = copyOf({ root, directory });
  // SECURITY(T37): somebody may have replaced it by a pipe or a link.
  const isCopied = withPlainFile(root.path, (descriptor) => copyFileSync(`/proc/self/fd/${descriptor}`, copy));
  if (isCopied === null) throw Object.assign(new Error(`${root.path} is no file`), { code: "ENOENT" });
  copyOwner(root.path, copy, root.mode);
  return { root, directory, copied: lstatSync(copy, { bigint: true }) };
}

/** The copy of a file. */
export function copyOf({ root, directory }: { readonly root: LayerRoot; readonly directory: string }): string {
  return `${directory}/upper/${baseName(root.path)}`;
}

/** What the call changed. */
export function entriesOf(layer: Layer): readonly LayerEntry[] | "cut" | "many" {
  const { root, directory, copied } = layer;
  if (copied === null) return readLayerChanges(`${directory}/changes`);
  const now = lstatSync(copyOf(layer), { bigint: true });
  // A program can set the other times back.
  if (now.ctimeNs === copied.ctimeNs) return [];
  return [{ kind: "changed file", path: baseName(root.path), inode: 0n }];
}

export function placeOf({ root, directory }: Layer): ChangedPlace {
  return { directory: root.kind === "file" ? parentPath(root.path) : root.path, upper: `${directory}/upper` };
}

function copyOwner(from: string, to: string, mode: number): void {
  const { uid, gid } = statSync(from);
  if (process.geteuid?.() === 0) chownSync(to, uid, gid);
  chmodSync(to, mode);
}

/** Whether an earlier program of the call has deleted the path, or put something else than a directory there or above. */
export function isReplacedIn(layers: readonly Layer[], path: string): boolean {
  return layers.some(({ root, directory }) => {
    if (root.kind === "file" || !isWithin(path, root.path)) return false;
    const names = path.slice(root.path.length).split("/").slice(1);
    return names.some((_, index) => {
      const found = lstatSync(`${directory}/upper/${names.slice(0, index + 1).join("/")}`, { throwIfNoEntry: false });
      return found !== undefined && !found.isDirectory();
    });
  });
}
