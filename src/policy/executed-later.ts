// Finds the paths, in a directory that the agent may change, that other programs execute later. executed-names.ts has the names.

import { baseName, isWithin } from "../shared/path.ts";
import { type ExecutedName, executedNames } from "./executed-names.ts";

interface PreparedRow {
  /** In lower case, last component first. */
  readonly parts: readonly string[];
  readonly row: ExecutedName;
}

/** Finds the listed names in paths, by the last component and then by those before it. */
export class ExecutedLookup {
  readonly #byLast = new Map<string, PreparedRow[]>();
  readonly #byEnd: { readonly end: string; readonly row: ExecutedName }[] = [];

  constructor(rows: readonly ExecutedName[]) {
    for (const row of rows) {
      const parts = row.name.toLowerCase().split("/").reverse();
      const [last = ""] = parts;
      if (last.startsWith("*")) this.#byEnd.push({ end: last.slice(1), row });
      else this.#byLast.set(last, [...(this.#byLast.get(last) ?? []), { parts, row }]);
    }
  }

  endsLike(name: string): boolean {
    return this.#byLast.has(name) || this.#byEnd.some(({ end }) => name.endsWith(end));
  }

  /** The entry whose name ends with the component at `index`. Components are folded as a case-insensitive file system folds them. */
  at(names: readonly string[], index: number): ExecutedName | null {
    const name = names[index] ?? "";
    const found = this.#byLast.get(name)?.find(({ parts }) => parts.every((part, up) => names[index - up] === part));
    return found?.row ?? this.#byEnd.find(({ end }) => name.endsWith(end))?.row ?? null;
  }
}

const guarded = new ExecutedLookup(executedNames.filter(({ care }) => care !== "warned"));

/**
 * `/repo/.vscode/tasks.json` gives `/repo/.vscode`; null if no component is in the list. Components up to `root`, the path that
 * was granted, do not count: a person who grants a directory below `.claude` means it.
 */
export function executedPart(path: string, root: string | null = null): string | null {
  const names = path.split("/");
  const folded = path.toLowerCase().split("/");
  const above = root === null || root === "/" ? 0 : root.split("/").length;
  const at = folded.findIndex((_, index) => index >= above && guarded.at(folded, index) !== null);
  return at < 0 ? null : names.slice(0, at + 1).join("/");
}

/** The same, where links and pointers are followed: `targets` are the real places that guarded names lead to. */
export function executedPartOf(path: string, root: string | null, targets: readonly string[]): string | null {
  return executedPart(path, root) ?? targets.find((target) => isWithin(path, target)) ?? null;
}

/** The list entry for `name` in `directory`, if other programs execute that entry itself. */
export function executedEntry(directory: string, name: string): ExecutedName | null {
  if (!mayBeExecuted(name)) return null; // asked for every file of a tree, so the short answer comes first
  const names = `${directory}/${name}`.toLowerCase().split("/");
  return guarded.at(names, names.length - 1);
}

/** True if some guarded name ends like this. Whether this path is one depends on the directories above it. */
function mayBeExecuted(name: string): boolean {
  return guarded.endsLike(name.toLowerCase());
}

/** A name as file systems read it that fold case, drop trailing dots and blanks, or ignore invisible characters. */
export function foldName(name: string): string {
  return name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}

/** Always refused: commits go through `git_stage` and `git_push`. */
export function isRepositoryPart(part: string): boolean {
  return baseName(part).toLowerCase() === ".git";
}
