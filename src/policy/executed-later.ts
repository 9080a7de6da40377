// Which paths in a place that the agent may change others execute later. The names are those of executed-names.ts.

import { baseName, isWithin } from "../shared/path.ts";
import { type ExecutedKind, type ExecutedName, executedNames } from "./executed-names.ts";

interface PreparedRow {
  /** In lower case, the last component first. */
  readonly parts: readonly string[];
  readonly row: ExecutedName;
}

/** Finds names of a list in paths: by the last component, then by those before it. */
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

  /** The row whose name ends with the component at `index`; the components as a case-blind disk has them. */
  at(names: readonly string[], index: number): ExecutedName | null {
    const name = names[index] ?? "";
    const found = this.#byLast.get(name)?.find(({ parts }) => parts.every((part, up) => names[index - up] === part));
    return found?.row ?? this.#byEnd.find(({ end }) => name.endsWith(end))?.row ?? null;
  }
}

const guarded = new ExecutedLookup(executedNames.filter(({ care }) => care !== "warned"));

/** Names that get a placeholder where they are absent, at the top of a grant or of a work tree. */
export const reservedNames: ReadonlyMap<string, ExecutedKind> = new Map(
  executedNames.filter(({ care }) => care === "reserved").map(({ name, kind }) => [name, kind]),
);

/**
 * `/repo/.vscode/tasks.json` gives `/repo/.vscode`; null where no name on the way is one of these. Names up to `root`, the path that
 * was granted, do not count: whoever grants a directory below `.claude` means it.
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

/** The row for the entry `name` of `directory`, if that entry is itself what others execute. */
export function executedEntry(directory: string, name: string): ExecutedName | null {
  if (!mayBeExecuted(name)) return null; // asked for every file of a tree, so the short answer comes first
  const names = `${directory}/${name}`.toLowerCase().split("/");
  return guarded.at(names, names.length - 1);
}

/** Some of the guarded names end like this; whether this one is meant, the directories above it tell. */
export function mayBeExecuted(name: string): boolean {
  return guarded.endsLike(name.toLowerCase());
}

/** A name as disks take it that fold case, drop dots and blanks at the end, or do not see what draws nothing. */
export function foldName(name: string): string {
  return name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}

/** Commits go through `git_stage` and `git_push`, whatever anybody says. */
export function isRepositoryPart(part: string): boolean {
  return baseName(part).toLowerCase() === ".git";
}
