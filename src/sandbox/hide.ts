// Finds what a grant's `hide` globs name, so that the box can put something unreadable in front of it.
// The name stays in listings; the content is out of reach.

import { statSync } from "node:fs";
import type { ViewPath } from "../action/action.ts";
import { hideMatches } from "../policy/capability.ts";
import { baseName, joinPath } from "../shared/path.ts";
import { type DirectoryIndex, subdirectories } from "./directory-index.ts";

export interface HiddenPath {
  readonly path: string;
  readonly kind: "file" | "directory";
}

/** Links are left alone: what they lead to is hidden under its own name, or was never in the box. */
export function findHidden(index: DirectoryIndex, view: ViewPath): HiddenPath[] {
  const root = view.path;
  if (view.hide.length === 0) return [];
  if (!isDirectory(root)) return hideMatches(view, baseName(root)) ? [{ path: root, kind: "file" }] : [];
  const hidden: HiddenPath[] = [];
  const prefix = root === "/" ? 1 : root.length + 1;
  index.walk(root, (directory, entries) => {
    const shown = new Set(subdirectories(entries));
    for (const { name, kind } of entries) {
      const path = joinPath(directory, name);
      if (kind === "link" || !hideMatches(view, path.slice(prefix))) continue;
      hidden.push({ path, kind });
      shown.delete(name);
    }
    return [...shown];
  });
  return hidden;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
