// Which paths of a view get a layer: every path that the call may change.

import { readFileSync, statSync, type Stats } from "node:fs";
import type { View } from "../../action/action.ts";
import { directoryOfWorkspace, isInDraft } from "../../action/draft-view.ts";
import { isHidden } from "../../policy/capability.ts";
import { isWithin } from "../../shared/path.ts";

export interface LayerRoot {
  /** A real path. */
  readonly path: string;
  readonly kind: "directory" | "file";
  readonly mode: number;
}

/**
 * Outer paths first. A path that the box shows at a second place has a layer of its own, so that both places show the same. What is mounted
 * inside a path has one too, because an overlay shows nothing of another file system.
 */
export function layerRoots(view: View): LayerRoot[] {
  const isOpen = (path: string) => view.opens?.includes(path) === true; // only git writes to it, to land a push
  const isOwn = (path: string) =>
    !isInDraft(view.workspace, path) && !isOpen(path) && !isHidden({ fsGrants: view.paths }, path);
  const writable = view.paths.filter(({ path, mode }) => mode === "rw" && isOwn(path)).map(({ path }) => path);
  if (writable.length === 0) return [];
  const second = [
    ...[directoryOfWorkspace(view.workspace)].filter((path) => path !== null),
    ...(view.mounts ?? []).map(({ source }) => source),
  ];
  const isWritable = (path: string) => nearest(view, path)?.mode === "rw" && isOwn(path);
  const outer = writable.filter((path) => {
    const above = nearest(view, path, true);
    return above?.mode !== "rw" || !isOwn(above.path);
  });
  const inner = [...second, ...mountPoints()].filter(
    (path) => isWritable(path) && outer.some((root) => root !== path && isWithin(path, root)),
  );
  const all = [...new Set([...outer, ...inner])].toSorted((a, b) => a.split("/").length - b.split("/").length);
  return all.flatMap((path) => rootAt(path) ?? []);
}

/** The longest path of the view that contains this one. `above`: that is not this one itself. */
function nearest(view: View, path: string, above = false): View["paths"][number] | null {
  return view.paths
    .filter((one) => isWithin(path, one.path) && !(above && one.path === path))
    .reduce<View["paths"][number] | null>(
      (best, one) => (best === null || one.path.length > best.path.length ? one : best),
      null,
    );
}

function rootAt(path: string): LayerRoot | null {
  const found = statAt(path);
  if (found === undefined || (!found.isDirectory() && !found.isFile())) return null;
  return { path, kind: found.isDirectory() ? "directory" : "file", mode: found.mode & 0o777 };
}

function statAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function mountPoints(): string[] {
  const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  return lines.flatMap((line) => {
    const path = line.split(" ")[4];
    return path === undefined
      ? []
      : [path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))];
  });
}
