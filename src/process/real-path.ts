// Resolves a path to its real path. Both sides of every grant check are real paths.
// Invariant: it resolves one component at a time, so that `..` after a link means the parent of the link's target.

import { lstatSync, readlinkSync } from "node:fs";
import { isWithin, joinPath, parentPath } from "../shared/path.ts";

export interface ResolvedLink {
  /** The real path of the link itself. */
  readonly path: string;
  /** The text of the link. */
  readonly target: string;
}

export interface ResolvedPath {
  /** The real path of the deepest ancestor that exists, then the rest as written. */
  readonly real: string;
  readonly exists: boolean;
  /** Every link on the way, in order. */
  readonly links: readonly ResolvedLink[];
}

const MAX_LINKS = 40; // as in the kernel

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

/** In reverse order, so that `pop` returns the next component. */
function componentsOf(path: string): string[] {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .reverse();
}

/** The link's text; null for anything else that exists; undefined if it does not exist or cannot be read. */
function linkTarget(path: string): string | null | undefined {
  try {
    // SECURITY(T03): links in /proc (self/root, self/fd/3, …) do not lead where their text says, and mean something else
    // in each process. They are not followed, and nothing under /proc can be granted.
    if (isWithin(path, "/proc")) return null;
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return undefined;
  }
}
