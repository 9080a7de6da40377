// Files that others execute later: repositories' own directories, and the settings of editors, agents and
// shells. In a path that the agent may change they are read-only all the same.
// Invariant: what exists is bound read-only at any depth; what is absent at the top of a grant or of a work
// tree cannot be made; what is made deeper down is moved away after the run.

import { cpSync, lstatSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { Quarantined } from "../process/outcome.ts";
import { isWithin, joinPath, parentPath } from "../shared/path.ts";
import { type DirectoryIndex, subdirectories } from "./directory-index.ts";
import { resolvePath } from "./resolve.ts";

type PlaceholderKind = "file" | "directory";

/** Protected names, and what a placeholder for each is. */
const protectedNames: ReadonlyMap<string, PlaceholderKind> = new Map([
  ...[".git", ".vscode", ".idea", ".claude", ".cursor", ".codex", ".gemini", ".windsurf", ".continue", ".devcontainer", ".husky"].map(
    (name) => [name, "directory"] as const,
  ),
  ...[".mcp.json", ".envrc", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".gitconfig"].map(
    (name) => [name, "file"] as const,
  ),
]);

export interface Placeholder {
  readonly path: string;
  readonly kind: PlaceholderKind;
}

export interface ProtectedPaths {
  /** Bound read-only on themselves. */
  readonly existing: readonly string[];
  /** Protected names that are links: a bind cannot hold those, so they are put back after the run. */
  readonly links: ReadonlyMap<string, string>;
  /** Every protected name at the top of the grant and of each work tree, there or not: what is absent gets a placeholder. */
  readonly tops: readonly Placeholder[];
}

/** SECURITY(T08): looks at the whole tree, because a repository's hooks run wherever it lies. */
export function findProtected(index: DirectoryIndex, root: string): ProtectedPaths {
  const existing = new Set<string>();
  const links = new Map<string, string>();
  const tops: Placeholder[] = [];
  index.walk(root, (directory, entries) => {
    const present = new Set(entries.map((entry) => entry.name));
    for (const { name, kind } of entries) {
      if (!protectedNames.has(name)) continue;
      const path = joinPath(directory, name);
      if (kind === "link") links.set(path, readlinkSync(path));
      else existing.add(path);
      if (name === ".git") for (const gitPath of gitDirectories(path)) if (isWithin(gitPath, root)) existing.add(gitPath);
    }
    if (directory === root || present.has(".git")) {
      for (const [name, kind] of protectedNames) tops.push({ path: joinPath(directory, name), kind });
    }
    return subdirectories(entries).filter((name) => !protectedNames.has(name));
  });
  return { existing: [...existing], links, tops };
}

/** Where a `.git` file or link leads, and the common directory behind that: they may lie under another name. */
function gitDirectories(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  let directory = resolvePath(path).real;
  if (found.isFile()) {
    const target = /^gitdir: (.+?)\n*$/.exec(readSmallFile(path))?.[1];
    if (target === undefined) return [];
    directory = resolvePath(target.startsWith("/") ? target : joinPath(parentPath(path), target)).real;
  }
  const common = readSmallFile(joinPath(directory, "commondir")).trim();
  const commonDirectory = common === "" ? [] : [resolvePath(common.startsWith("/") ? common : joinPath(directory, common)).real];
  return [directory, ...commonDirectory].filter((candidate) => lstatSync(candidate, { throwIfNoEntry: false }) !== undefined);
}

function readSmallFile(path: string): string {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && found.size < 8192 ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}

export function makePlaceholder({ path, kind }: Placeholder): void {
  try {
    if (kind === "directory") mkdirSync(path, { mode: 0o755 });
    else writeFileSync(path, "", { flag: "wx", mode: 0o644 });
  } catch (error) {
    // Made by somebody else meanwhile, or a place where neither we nor the program may write.
    if (!["EEXIST", "EACCES", "EROFS", "EPERM", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** After the run: moves away what was made where it must not be, and puts links back. */
export function quarantineNew(index: DirectoryIndex, root: string, before: ProtectedPaths, quarantine: string): Quarantined[] {
  const moved: Quarantined[] = [];
  const after = findProtected(index, root);
  const known = new Set([...before.existing, ...before.tops.map(({ path }) => path)]);
  const candidates = [...after.existing, ...after.links.keys()];
  for (const path of candidates) {
    const link = before.links.get(path);
    const unchanged = link === undefined ? known.has(path) : after.links.get(path) === link;
    if (!unchanged && lstatSync(path, { throwIfNoEntry: false }) !== undefined) moved.push({ path, movedTo: moveAway(path, quarantine) });
  }
  for (const [path, text] of before.links) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined && lstatSync(parentPath(path), { throwIfNoEntry: false })?.isDirectory() === true) symlinkSync(text, path);
  }
  return moved;
}

function moveAway(path: string, quarantine: string): string {
  mkdirSync(quarantine, { recursive: true, mode: 0o700 });
  const target = joinPath(quarantine, path.slice(1).replaceAll("/", "%"));
  rmSync(target, { recursive: true, force: true });
  try {
    renameSync(path, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    cpSync(path, target, { recursive: true, verbatimSymlinks: true });
    rmSync(path, { recursive: true, force: true });
  }
  return target;
}
