// Finds what a grant's `hide` globs name, so that the box can put something unreadable in front of it.
// The name stays in listings; the content is out of reach.

import { statSync } from "node:fs";
import type { ViewPath } from "../action/action.ts";
import { hideMatches } from "../policy/capability.ts";
import { baseName, joinPath } from "../shared/path.ts";
import { type DirectoryIndex, someBelow, subdirectories } from "./directory-index.ts";

export interface HiddenPath {
  readonly path: string;
  /** Unnameable: not UTF-8, so that no box can put anything in front of it. */
  readonly kind: "file" | "directory" | "unnameable";
  /** The grant that hides it. */
  readonly view: ViewPath;
}

/** Links are left alone: what they lead to is hidden under its own name, or was never in the box. */
export function findHidden(index: DirectoryIndex, view: ViewPath): HiddenPath[] {
  const root = view.path;
  if (view.hide.length === 0) return [];
  if (!isDirectory(root)) return hideMatches(view, baseName(root)) ? [{ path: root, kind: "file", view }] : [];
  const hidden: HiddenPath[] = [];
  const prefix = root === "/" ? 1 : root.length + 1;
  index.walk(root, {
    directory(directory, entries) {
      const shown = new Set(subdirectories(entries));
      for (const { name, kind, bytes } of entries) {
        const path = joinPath(directory, name);
        if (bytes !== undefined && kind !== "link") {
          const raw = Buffer.concat([Buffer.from(`${directory}/`), bytes]);
          const hides = (inner: string) => hideMatches(view, `${path.slice(prefix)}/${inner}`);
          if (hideMatches(view, path.slice(prefix)) || (kind === "directory" && someBelow(raw, hides))) hidden.push({ path, kind: "unnameable", view });
          continue;
        }
        if (kind === "link" || !hideMatches(view, path.slice(prefix))) continue;
        hidden.push({ path, kind, view });
        shown.delete(name);
      }
      return [...shown];
    },
    // Who knows a name in it could still open it.
    closed: (directory) => hidden.push({ path: directory, kind: "directory", view }),
  });
  return hidden;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
