// What is to happen on disk in one work tree, found by looking only: every file that changes must be just as the branch
// has it, and every place for a new one empty.
// Invariant: a step exists only for a path at which nothing of the person's would be lost.

import { lstatSync, readdirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { IndexEntries } from "./local-index.ts";
import type { LandedFile } from "../target.ts";
import { compareFile, type DiskRules } from "./work-tree-file.ts";
import { nameIn, type OpenedDirectory, splitPath, type DirectoryHandle } from "../../../process/directory-handle.ts";

interface PlannedFile {
  readonly lineEnds: "as-is" | "crlf";
  /** Of the file that is replaced; null for a new one. */
  readonly permissions: number | null;
}

export interface FileStep extends PlannedFile {
  /** Where it stands among all changes: part of the names of its temporary files. */
  readonly number: number;
  readonly change: LandedFile;
}

export interface WorkTreePlan {
  readonly steps: readonly FileStep[];
  /** By path: what stands in the way. */
  readonly problems: ReadonlyMap<string, string>;
}

const AT_ONCE = 500;

/** Changes by directory, some at a time, so that each directory is entered once for many. */
export function byDirectory<T>(items: readonly T[], pathOf: (item: T) => string): (readonly [string, readonly T[]])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const [directory] = splitPath(pathOf(item));
    const group = groups.get(directory);
    if (group === undefined) groups.set(directory, [item]);
    else group.push(item);
  }
  return [...groups].flatMap(([directory, all]) =>
    Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, part) => {
      return [directory, all.slice(part * AT_ONCE, (part + 1) * AT_ONCE)] as const;
    }),
  );
}

export async function planWorkTree(
  handle: DirectoryHandle,
  changes: readonly LandedFile[],
  numbers: ReadonlyMap<string, number>,
  entries: IndexEntries,
  rules: DiskRules,
): Promise<WorkTreePlan> {
  const steps: FileStep[] = [];
  const problems = new Map<string, string>();
  const leaving = new Set(changes.filter(({ after }) => after === null).map(({ path }) => path));
  for (const [directory, some] of byDirectory(changes, ({ path }) => path)) {
    handle.enter(directory, (opened) => {
      for (const change of some) {
        const planned = planFile(opened, change, isSkipped(entries, change), leaving, rules);
        if (typeof planned === "string") problems.set(change.path, planned);
        else if (planned !== null) steps.push({ number: numbers.get(change.path) as number, change, ...planned });
      }
    });
    await nextTurn();
  }
  return { steps, problems };
}

function isSkipped(entries: IndexEntries, { path }: LandedFile): boolean {
  return entries.get(path)?.every((entry) => entry.isSkipped) === true;
}

/** A problem as text; null where nothing is to be done on disk. */
function planFile(
  opened: OpenedDirectory,
  { path, before }: LandedFile,
  skipped: boolean,
  leaving: ReadonlySet<string>,
  rules: DiskRules,
): PlannedFile | string | null {
  const [, name] = splitPath(path);
  if (before === null) return planNew(opened, path, name, leaving);
  if (opened.is === "blocked") return `cannot be reached: ${opened.at} is ${opened.by} on disk`;
  const found =
    opened.is === "open" ? compareFile(nameIn(opened.descriptor, name), before, rules) : ({ is: "missing" } as const);
  if (found.is === "same") return { lineEnds: found.lineEnds, permissions: found.permissions };
  if (found.is === "different") return found.what;
  return skipped ? null : "is deleted on disk";
}

function planNew(
  opened: OpenedDirectory,
  path: string,
  name: string,
  leaving: ReadonlySet<string>,
): PlannedFile | string {
  const planned: PlannedFile = { lineEnds: "as-is", permissions: null };
  if (opened.is === "missing") return planned;
  if (opened.is === "blocked")
    return leaving.has(opened.at) ? planned : `cannot be written: ${opened.at} is ${opened.by} on disk`;
  const fdPath = nameIn(opened.descriptor, name);
  const found = lstatSync(fdPath, { throwIfNoEntry: false });
  if (found === undefined) return planned;
  if (!found.isDirectory()) return "is on disk already, and not in the branch";
  const isLeaving = [...leaving].some((other) => other.startsWith(`${path}/`)) && holdsOnly(fdPath, path, leaving);
  return isLeaving ? planned : "is a directory on disk, with files that are not in the branch";
}

/** True when nothing is below but files that go. A link is a file here: what it leads to is not looked at. */
function holdsOnly(fdPath: string, path: string, leaving: ReadonlySet<string>): boolean {
  return readdirSync(fdPath, { withFileTypes: true }).every((inner) => {
    const innerPath = `${path}/${inner.name}`;
    if (!inner.isDirectory()) return leaving.has(innerPath);
    return (
      [...leaving].some((other) => other.startsWith(`${innerPath}/`)) &&
      holdsOnly(`${fdPath}/${inner.name}`, innerPath, leaving)
    );
  });
}
