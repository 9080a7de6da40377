// Files, or folders, of src/ that import each other: none of them can be understood, or moved, without the others.

import { dirname, join, normalize } from "node:path/posix";
import type { Sources } from "./rules.ts";
import { importsOf } from "./source-scan.ts";

/** Cycles of types alone that are still there, by their files in order of the alphabet. */
export const typeCycles: ReadonlyMap<string, string> = new Map([
  ["cli/mcp/mcp-http.ts cli/mcp/mcp.ts", "the flags of the command are declared beside it"],
  ["git/publish/diff.ts git/publish/rename.ts", "the two sides of a file are declared beside the diff"],
  ["git/publish/line-diff.ts git/publish/line-settle.ts", "a line's change is declared beside the diff"],
  ["sandbox/run-box.ts sandbox/run-files.ts", "the run of a box is declared beside its start"],
  ["store/workspace-rows.ts store/workspaces.ts", "a stored session is declared beside its store"],
  ["web/change-routes.ts web/context-lines.ts web/file-views.ts", "a reviewed change is declared beside its routes"],
  ["workspace/regex-literal.ts workspace/regex.ts", "the matcher of lines is declared beside its maker"],
]);

type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/** The groups of files that import each other, each as one line. `withTypes`: also by what is gone at run time. */
export function fileCycles(sources: Sources, withTypes: boolean): string[] {
  return cyclesOf(
    new Map(
      [...sources].map(([path, source]) => [
        path,
        new Set(
          importsOf(source)
            .filter(({ from, typeOnly }) => from.startsWith(".") && (withTypes || !typeOnly))
            .map(({ from }) => normalize(join(dirname(path), from))),
        ),
      ]),
    ),
  );
}

/** The same for the folders below one, and itself. */
export function folderCycles(sources: Sources, folder: string): string[] {
  const imports = new Map<string, Set<string>>();
  for (const [path, source] of sources) {
    if (!path.startsWith(`${folder}/`)) continue;
    const from = dirname(path);
    const found = imports.get(from) ?? new Set();
    imports.set(from, found);
    for (const { from: target } of importsOf(source)) {
      const to = dirname(normalize(join(from, target)));
      if (target.startsWith(".") && to !== from) found.add(to);
    }
  }
  return cyclesOf(imports);
}

function cyclesOf(imports: Imports): string[] {
  const reached = new Map([...imports.keys()].map((start) => [start, reachedFrom(start, imports)]));
  const groups = [...reached].flatMap(([start, found]) =>
    found.has(start)
      ? [
          [...found]
            .filter((other) => reached.get(other)?.has(start) === true)
            .sort()
            .join(" "),
        ]
      : [],
  );
  return [...new Set(groups)].sort();
}

function reachedFrom(start: string, imports: Imports): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of imports.get(at) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  }
  return found;
}
