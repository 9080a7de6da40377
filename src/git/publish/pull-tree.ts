// Finds the files of a repository's tree that a pull asks for, from the paths that the caller wrote.
// Invariant: if a tree has names or sizes that no workspace can hold, the whole pull is refused.

import { namesHome } from "../path.ts";
import { byteText, entryKind, type TreeEntry } from "./tree-entry.ts";
import type { TargetReading } from "../target/target.ts";
import { type Glob, matchesGlob, parseGlob } from "../../shared/glob.ts";
import { limits } from "../../shared/limits.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { parseWorkspaceDirectory, rootPath } from "../../workspace/path.ts";

interface Found {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
}

/** A path as the caller wrote it. Whether it names a file or is a glob depends on the tree. */
interface Wanted {
  readonly field: string;
  readonly path: string;
}

/** A null entry means the whole tree. */
export function parsePaths(written: readonly string[]): Result<readonly (Wanted | null)[]> {
  const wanted: (Wanted | null)[] = [];
  for (const [index, text] of written.entries()) {
    const field = `paths[${index}]`;
    const hint = "Write it like templates/a.md.";
    if (/^[-:/]/.test(text) || namesHome(text))
      return fail("invalid_args", `${field}: ${JSON.stringify(text)} is not a path from the repository's root.`, {
        hint,
      });
    const path = parseWorkspaceDirectory(text, field);
    if (!path.ok) return fail("invalid_args", path.failure.message, { hint });
    wanted.push(path.value === rootPath ? null : { field, path: path.value });
  }
  return ok(wanted);
}

/** If the tree has an entry of exactly that name (`pages/[id].tsx`), the path means that entry; otherwise it is a glob. */
async function settlePaths(
  wanted: readonly (Wanted | null)[],
  reading: TargetReading,
): Promise<Result<(Glob | null)[]>> {
  const globs: (Glob | null)[] = [];
  for (const one of wanted) {
    if (one === null) {
      globs.push(null);
      continue;
    }
    const isName = /[*?[\]]/.test(one.path) && (await isThere(one.path, reading));
    const glob = parseGlob(`/${isName ? one.path.replace(/[*?[\]]/g, "\\$&") : one.path}`);
    if (!glob.ok) return fail("invalid_args", `${one.field}: ${glob.failure.message}.`, { hint: glob.failure.hint });
    globs.push({ ...glob.value, anchored: true });
  }
  return ok(globs);
}

async function isThere(path: string, reading: TargetReading): Promise<boolean> {
  let tree = reading.state.baseTree;
  for (const name of path.split("/")) {
    const found = tree === null ? undefined : (await reading.readTree(tree)).find((entry) => nameOf(entry) === name);
    if (found === undefined) return false;
    tree = entryKind(found.mode) === "directory" ? found.id : null;
  }
  return true;
}

export interface Listed {
  readonly files: readonly Found[];
  readonly notes: readonly string[];
  /** Whether the caller asked for this path and the tree has no such file. */
  readonly isMissing: (path: string) => boolean;
}

/** Reads only the directories that can hold wanted files, all directories of one depth together. */
export async function listTree(
  reading: TargetReading,
  written: readonly (Wanted | null)[],
  isKept: (path: string) => boolean,
): Promise<Result<Listed>> {
  const settled = await settlePaths(written, reading);
  if (!settled.ok) return settled;
  const wanted = settled.value;
  let count = 0;
  // SECURITY(T30): eight tree objects that repeat each other can describe a million directories.
  let directories = 0;
  const isTooMuch = () => count > limits.workspaceFileCount || directories > limits.workspaceFileCount;
  const hidden: string[] = [];
  const seen = new Set<string>();
  const notes: string[] = [];
  const isWanted = (path: string) =>
    wanted.some((glob) => glob === null || ancestors(path).some((above) => matchesGlob(glob, above)));
  const problem: { text: string | null } = { text: null };
  const walk = async (id: string, prefix: string): Promise<Found[]> => {
    const parts: (Found | number)[] = []; // a number is the index in `below` of a directory's files
    const below: Promise<Found[]>[] = [];
    for (const entry of await reading.readTree(id)) {
      if (problem.text !== null || isTooMuch()) break;
      const name = nameOf(entry);
      const path = prefix === "" ? (name ?? byteText(entry.name)) : `${prefix}/${name ?? byteText(entry.name)}`;
      const kind = entryKind(entry.mode);
      if (kind === "directory" ? !mayHold(wanted, path) : !isWanted(path)) continue;
      const valid =
        name === null
          ? fail("invalid_args", `${JSON.stringify(path)} is not a name in UTF-8`)
          : parseWorkspaceDirectory(path, "paths");
      if (!valid.ok || (valid.value as string) !== path || name?.includes("/") !== false)
        problem.text = `The tree holds ${JSON.stringify(path)}, which no workspace can.`;
      else if (kind === "directory") {
        directories += 1;
        if (!isTooMuch()) parts.push(below.push(walk(entry.id, path)) - 1);
      } else {
        count += 1;
        seen.add(path);
        if (kind === "submodule") notes.push(`${path} is a submodule, and is left out`);
        else if (isKept(path)) hidden.push(path);
        else if (!isTooMuch()) parts.push({ path, mode: entry.mode, id: entry.id });
      }
    }
    const read = await Promise.all(below);
    return parts.flatMap((part) => (typeof part === "number" ? (read[part] ?? []) : part));
  };
  const files = reading.state.baseTree === null ? [] : await walk(reading.state.baseTree, "");
  if (problem.text !== null) return fail("invalid_args", `paths: ${problem.text}`, { hint: "Name other paths." });
  if (isTooMuch()) {
    const what = count > limits.workspaceFileCount ? "files" : "directories";
    return fail("invalid_args", `paths: more than ${limits.workspaceFileCount} ${what}.`, { hint: "Name fewer." });
  }
  if (files.length === 0 && hidden.length > 0)
    return fail("fs_denied", `Not allowed to read ${hidden[0]}: hidden by the agent's fs_grants, or by a rule.`, {
      hint: "Neither a rule nor a person's answer opens this; name other paths.",
    });
  for (const path of hidden) notes.push(`${path} is hidden by the agent's grants, and is left out`);
  if (files.length === 0 && notes.length === 0)
    return fail("not_found", "paths: nothing in the repository matches.", {
      hint: "Write paths from its root, such as src/a.ts.",
    });
  return ok({ files, notes, isMissing: (path) => !seen.has(path) && isWanted(path) });
}

/** Runs before any file is read: refuses what no workspace can hold, and names it with its size. */
export async function checkCapacity(files: readonly Found[], reading: TargetReading): Promise<Result<undefined>> {
  const sizes = (await reading.measureBlobs?.(files.map(({ id }) => id))) ?? new Map<string, number>();
  let bytes = 0;
  for (const { path, id } of files) {
    const size = sizes.get(id) ?? 0;
    bytes += size;
    if (size > limits.workspaceFileBytes)
      return fail("invalid_args", `paths: ${path} has ${size} bytes; a file may have ${limits.workspaceFileBytes}.`, {
        hint: "Name the other files.",
      });
  }
  if (bytes <= limits.workspaceTotalBytes) return ok(undefined);
  const most = limits.workspaceTotalBytes;
  return fail("invalid_args", `paths: ${files.length} files of ${bytes} bytes; a workspace may have ${most}.`, {
    hint: "Name fewer.",
  });
}

function nameOf({ name }: TreeEntry): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(name);
  } catch {
    return null;
  }
}

function mayHold(wanted: readonly (Glob | null)[], directory: string): boolean {
  const depth = directory.split("/").length;
  return wanted.some((glob) => {
    if (glob === null || ancestors(directory).some((above) => matchesGlob(glob, above))) return true;
    const star = glob.components.findIndex(({ kind }) => kind === "globstar");
    const length = star < 0 ? Math.min(depth, glob.components.length) : Math.min(depth, star);
    if (star < 0 && depth >= glob.components.length) return false;
    const first = { anchored: true, components: glob.components.slice(0, length) };
    return length === 0 || matchesGlob(first, directory.split("/").slice(0, length).join("/"));
  });
}

function ancestors(path: string): string[] {
  const names = path.split("/");
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}
