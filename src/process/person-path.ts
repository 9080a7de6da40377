// The person's own PATH: in which directories, and in which order, they find programs. What of it a box may use, box-path.ts decides.

import { statSync } from "node:fs";
import { isAbsolutePath } from "../shared/path.ts";
import { resolvePath } from "./real-path.ts";
import { type ShimContext, shimTargets } from "./shims.ts";

/** npm prepends directories of its own while it runs a script. They are not the person's. */
const addedByNpm = /\/node_modules\/(?:\.bin|npm\/)|\/node-gyp-bin$/;

/** The entries of PATH that last: absolute, and not npm's. */
export function lastingEntries(path: string | undefined): string[] {
  return (path ?? "").split(":").filter((directory) => isAbsolutePath(directory) && !addedByNpm.test(directory));
}

/**
 * Real paths of existing directories, each once, in the person's order. Before a directory of shims come the directories of the programs
 * behind the shims. A directory that everybody can write is left out: anybody could put a program there.
 */
export function personPath(context: ShimContext): string[] {
  const found = new Set<string>();
  for (const entry of lastingEntries(context.environment["PATH"])) {
    const { real } = resolvePath(entry);
    for (const directory of [...shimTargets(real, context), real]) {
      const target = resolvePath(directory).real;
      if (isUsable(target)) found.add(target);
    }
  }
  return [...found];
}

function isUsable(directory: string): boolean {
  try {
    const stats = statSync(directory);
    return stats.isDirectory() && (stats.mode & 0o002) === 0 && !directory.includes(":");
  } catch {
    return false; // absent, or not to be read
  }
}
