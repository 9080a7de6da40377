// Finds the paths that a grant's `hide` globs match, so that the box can mount something unreadable over them. The name stays in
// listings, but no program can read the content.

import { statSync } from "node:fs";
import type { ViewPath } from "../action/action.ts";
import { hideMatches, mayHideBelow } from "../policy/capability.ts";
import { joinPath } from "../shared/path.ts";
import { type DirectoryEntry, type DirectoryIndex, someBelow, subdirectories } from "./directory-index.ts";
import type { HiddenInDirectory, HideMemory } from "./hide-memory.ts";

interface HiddenEntry {
  readonly path: string;
  /** "unnameable": the name is not UTF-8, so no box can mount anything over it. */
  readonly kind: "file" | "directory" | "unnameable";
}

export interface HiddenPath extends HiddenEntry {
  /** The grant that hides it. */
  readonly view: ViewPath;
}

/**
 * Skips links: a link's target is hidden under its own name, or the box does not show it. `unseen`: directories of which the box shows
 * nothing.
 */
export function findHidden(
  index: DirectoryIndex,
  view: ViewPath,
  memory: HideMemory,
  unseen: ReadonlySet<string> = new Set(),
): HiddenPath[] {
  const root = view.path;
  if (view.hide.length === 0 || !isDirectory(root)) return []; // a grant never hides its own path
  const hidden: HiddenPath[] = [];
  const notes = memory.open(view);
  const seen = (directory: string, names: readonly string[]) =>
    unseen.size === 0 ? names : names.filter((name) => !unseen.has(joinPath(directory, name)));
  index.walk(root, {
    known(directory, stamp) {
      const found = notes?.recall(directory, stamp) ?? null;
      for (const { path, kind } of found?.hidden ?? []) hidden.push({ path, kind, view });
      return found === null ? null : seen(directory, found.goOnInto);
    },
    directory(directory, entries, stamp) {
      const found = hiddenIn(directory, entries, view);
      for (const { path, kind } of found.hidden) hidden.push({ path, kind, view });
      if (entries.every(({ bytes }) => bytes === undefined)) notes?.note(directory, stamp, found as HiddenInDirectory);
      return seen(directory, found.goOnInto);
    },
    // A program that knows a name in this directory could still open it.
    closed: (directory) => hidden.push({ path: directory, kind: "directory", view }),
  });
  if (unseen.size === 0) notes?.save(); // otherwise it would forget the directories that were not visited
  return hidden;
}

interface HiddenEntries {
  readonly hidden: readonly HiddenEntry[];
  readonly goOnInto: readonly string[];
}

interface AskedEntries extends HiddenEntries {
  readonly asked: string;
}

/** The index returns the same list object while a directory has not changed, so the globs need not be matched again. */
const answers = new WeakMap<readonly DirectoryEntry[], AskedEntries>();

function hiddenIn(directory: string, entries: readonly DirectoryEntry[], view: ViewPath): HiddenEntries {
  const asked = [directory, view.path, ...view.hide, "", ...(view.shown ?? [])].join("\0");
  const known = answers.get(entries);
  if (known?.asked === asked) return known;
  const found = { asked, ...findHiddenIn(directory, entries, view) };
  // Not cached if a name is not UTF-8: what lies below that entry can change without changing this list.
  if (entries.every(({ bytes }) => bytes === undefined)) answers.set(entries, found);
  return found;
}

function findHiddenIn(directory: string, entries: readonly DirectoryEntry[], view: ViewPath): HiddenEntries {
  const hidden: HiddenEntry[] = [];
  const shown = new Set(subdirectories(entries));
  const prefix = view.path === "/" ? 1 : view.path.length + 1;
  for (const { name, kind, bytes } of entries) {
    const path = joinPath(directory, name);
    if (bytes !== undefined && kind !== "link") {
      const raw = Buffer.concat([Buffer.from(`${directory}/`), bytes]);
      const hides = (inner: string) => hideMatches(view, `${path.slice(prefix)}/${inner}`);
      if (hideMatches(view, path.slice(prefix)) || (kind === "directory" && someBelow(raw, hides)))
        hidden.push({ path, kind: "unnameable" });
      continue;
    }
    if (kind === "link" || !hideMatches(view, path.slice(prefix))) continue;
    hidden.push({ path, kind });
    shown.delete(name);
  }
  const goOnInto = [...shown].filter((name) => mayHideBelow(view, joinPath(directory, name).slice(prefix)));
  return { hidden, goOnInto };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
