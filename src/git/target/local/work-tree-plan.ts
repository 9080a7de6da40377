// Plans the changes on disk in one work tree. It only reads. Every file that changes must be exactly as in the branch, and the path
// of every new file must be free.
// Invariant: the plan has a step only for a path at which no work of the person would be lost.

import { lstatSync, readdirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { IndexEntries } from "./local-index.ts";
import type { LandedFile } from "../target.ts";
import { compareFile, type DiskRules } from "./work-tree-file.ts";
import { nameIn, type OpenedDirectory, splitPath, type DirectoryHandle } from "../../../process/directory-handle.ts";

interface PlannedFile {
  readonly lineEnds: "as-is" | "crlf";
  /** The permissions of the replaced file; null for a new file. */
  readonly permissions: number | null;
}

export interface FileStep extends PlannedFile {
  /** Its index among all changes. The names of its temporary files contain it. */
  readonly number: number;
  readonly change: LandedFile;
}

export interface WorkTreePlan {
  readonly steps: readonly FileStep[];
  /** What prevents each change, by path. */
  readonly problems: ReadonlyMap<string, string>;
}

const AT_ONCE = 500;

/** Groups changes by directory in batches, so that a directory is opened once for many changes. */
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

/** A problem as text; null if nothing changes on disk. */
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

/** True if only files that are deleted lie below. A link counts as a file and is not followed. */
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
