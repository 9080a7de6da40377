// Where a path really leads. Both sides of every grant check are real paths.
// Invariant: walks one component at a time, so that `..` after a link means the link's own parent.

import { lstatSync, readlinkSync } from "node:fs";
import { isWithin, joinPath, parentPath } from "../shared/path.ts";

export interface ResolvedLink {
  /** Where the link itself lies, really. */
  readonly path: string;
  /** Its text. */
  readonly target: string;
}

export interface ResolvedPath {
  /** The real path of the deepest ancestor that exists, and the rest as it was written. */
  readonly real: string;
  readonly exists: boolean;
  /** Every link walked through, in order. */
  readonly links: readonly ResolvedLink[];
}

const MAX_LINKS = 40; // as the kernel

export function resolvePath(path: string): ResolvedPath {
  const links: ResolvedLink[] = [];
  const todo = componentsOf(path);
  let real = "/";
  let exists = true;
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    if (part === "..") {
      real = parentPath(real);
      continue;
    }
    const next = joinPath(real, part);
    const target: string | null | undefined = exists ? linkTarget(next) : null;
    if (typeof target === "string") {
      if (links.length === MAX_LINKS) return { real: next, exists: false, links };
      links.push({ path: next, target });
      if (target.startsWith("/")) real = "/";
      todo.push(...componentsOf(target));
    } else {
      exists = exists && target !== undefined;
      real = next;
    }
  }
  return { real, exists, links };
}

/** Last component first, so that the next one is popped. */
function componentsOf(path: string): string[] {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .reverse();
}

/** The link's text; null for anything else that exists; undefined for what does not, or cannot be seen. */
function linkTarget(path: string): string | null | undefined {
  try {
    // SECURITY(T03): links in /proc (self/root, self/fd/3, …) do not lead where their text says, and mean another
    // thing in each process. They are not followed; and nothing under /proc can be granted.
    if (isWithin(path, "/proc")) return null;
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return undefined;
  }
}
