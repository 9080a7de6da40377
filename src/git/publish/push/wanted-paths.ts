// `paths` and `after` of git_status and git_diff: the files and directories of the workspace that the call is about, and where the page
// of them begins that it asks for.

import { fail, ok, type Result } from "../../../shared/result.ts";
import type { IgnoredFiles } from "../../../workspace/ignored-files.ts";
import {
  parseWorkspaceDirectory,
  rootPath,
  spellWorkspacePath,
  type WorkspacePath,
  workspaceRoot,
} from "../../../workspace/path.ts";
import type { Workspace } from "../../../workspace/workspace.ts";

export class WantedPaths {
  /** Null if the call names none: then it is about all files. */
  readonly #paths: ReadonlySet<WorkspacePath> | null;
  readonly #after: WorkspacePath;

  private constructor(paths: ReadonlySet<WorkspacePath> | null, after: WorkspacePath) {
    this.#paths = paths;
    this.#after = after;
  }

  static parse(written: readonly string[] | undefined, afterWritten: string = workspaceRoot): Result<WantedPaths> {
    const after = parseWorkspaceDirectory(afterWritten, "after");
    if (!after.ok) return after;
    if (written === undefined) return ok(new WantedPaths(null, after.value));
    const paths = new Set<WorkspacePath>();
    for (const [index, text] of written.entries()) {
      const path = parseWorkspaceDirectory(text, `paths[${index}]`);
      if (!path.ok) return path;
      paths.add(path.value);
    }
    return ok(new WantedPaths(paths, after.value));
  }

  /** Null if the call is about all files. */
  get paths(): readonly WorkspacePath[] | null {
    return this.#paths === null || this.#paths.has(rootPath) ? null : [...this.#paths];
  }

  /** The files and directories that the call names, besides the workspace itself. */
  get named(): readonly WorkspacePath[] {
    return [...(this.#paths ?? [])].filter((path) => path !== rootPath);
  }

  has(path: string): boolean {
    return this.#paths === null || namesFrom(path).some((one) => this.#paths?.has(one));
  }

  /** The files of the page that the call asks for, and those of later ones. The others still count for what a file was renamed from. */
  page<T extends { readonly path: string }>(files: readonly T[], compare: (a: string, b: string) => number): T[] {
    return files.filter(({ path }) => compare(path, this.#after) > 0);
  }

  /** Whether the call names the file itself. */
  isNamed(path: string): boolean {
    return this.#paths?.has(path as WorkspacePath) === true;
  }

  /** A file that the call names, or that is in an ignored directory that it names, is not left out. */
  async isIgnored(path: WorkspacePath, ignored: IgnoredFiles): Promise<boolean> {
    if (this.isNamed(path) || !(await ignored.has(path))) return false;
    for (const one of namesFrom(path))
      if (this.#paths?.has(one) === true && (await ignored.hasDirectory(one))) return false;
    return true;
  }

  /** Refuses a path at which there is nothing. `known`: paths that are gone from the workspace, or were never in it. */
  async check(files: Workspace | null, known: Iterable<string>): Promise<Result<undefined>> {
    const missing = new Set(this.#paths ?? []);
    for (const path of known) for (const one of namesFrom(path)) missing.delete(one);
    for (const path of missing) {
      if (files !== null && (path === rootPath || (await files.isDirectory(path)))) continue;
      if (files !== null && (await files.entry(path)) !== undefined) continue;
      return fail("not_found", `paths: there is nothing at ${spellWorkspacePath(path)}.`, {
        hint: "Name files or directories of the workspace. git_status lists what differs.",
      });
    }
    return ok(undefined);
  }
}

/** The path, all directories above it, and the workspace itself. */
function namesFrom(path: string): WorkspacePath[] {
  const names = [path as WorkspacePath];
  for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1))
    names.push(path.slice(0, cut) as WorkspacePath);
  return [...names, rootPath];
}
