// What a pull does to the workspace, found by looking only.
// Invariant: what somebody made in the workspace (a file, its mode, that it is gone) is undone by "overwrite" alone; what
// is as it was pulled follows the repository.

import type { FileState, PulledFile } from "../../staged.ts";
import type { Hashes } from "../../../shared/hash.ts";
import { parentsOf, type WorkspacePath } from "../../../workspace/path.ts";
import type { Change, Workspace } from "../../../workspace/workspace.ts";
import { freeze, isSameState } from "./workspace-state.ts";

export interface Incoming {
  readonly path: WorkspacePath;
  readonly state: FileState;
  readonly bytes: Uint8Array;
  /** Where a link leads; null for a file. */
  readonly target: string | null;
}

export type OnConflict = "fail" | "overwrite" | "keep-both";

export interface PullChanges {
  readonly changes: readonly Change[];
  /** What comes to its own place, and is from now on the state to compare with. */
  readonly placed: readonly Incoming[];
  /** What makes room for another kind of thing. */
  readonly gone: readonly WorkspacePath[];
  /** Where something of the workspace's own is, or was. */
  readonly conflicts: readonly WorkspacePath[];
}

export async function planChanges(
  incoming: readonly Incoming[],
  known: ReadonlyMap<string, PulledFile>,
  files: Workspace,
  onConflict: OnConflict,
  hashes: Hashes,
): Promise<PullChanges> {
  const changes: Change[] = [];
  const placed: Incoming[] = [];
  const gone = new Set<WorkspacePath>();
  const conflicts = new Set<WorkspacePath>();
  const look = new OwnChanges(files, known, hashes);
  const names = new CopyNames(incoming, files);
  for (const each of incoming) {
    const { path, state } = each;
    const way = await look.wayTo(path);
    const theirs = way.filter(({ isTheirs }) => isTheirs).map((one) => one.path);
    if (way.length === 0 && (await look.isOwn(path, state))) theirs.push(path);
    for (const one of theirs) conflicts.add(one);
    if (theirs.length > 0 && onConflict === "keep-both") {
      const above = way.find((one) => path.startsWith(`${one.path}/`))?.path ?? path;
      changes.push(changeAt(each, `${await names.besides(above)}${path.slice(above.length)}` as WorkspacePath));
      continue;
    }
    for (const one of way) gone.add(one.path);
    changes.push(changeAt(each, path));
    placed.push(each);
  }
  for (const path of gone) changes.push({ operation: "delete", path });
  return { changes, placed, gone: [...gone], conflicts: [...conflicts] };
}

function changeAt({ bytes, state, target }: Incoming, path: WorkspacePath): Change {
  return target === null
    ? { operation: "write", path, bytes, executable: state.mode === "100755" }
    : { operation: "link", path, target };
}

interface InTheWay {
  readonly path: WorkspacePath;
  readonly isTheirs: boolean;
}

class OwnChanges {
  readonly #files: Workspace;
  readonly #known: ReadonlyMap<string, PulledFile>;
  readonly #hashes: Hashes;
  readonly #above = new Map<WorkspacePath, InTheWay | null>();

  constructor(files: Workspace, known: ReadonlyMap<string, PulledFile>, hashes: Hashes) {
    this.#hashes = hashes;
    this.#files = files;
    this.#known = known;
  }

  /** Files and links where a directory has to be, or files below where a file has to be. */
  async wayTo(path: WorkspacePath): Promise<InTheWay[]> {
    for (const parent of parentsOf(path)) {
      let above = this.#above.get(parent);
      if (above === undefined) {
        const isThere = (await this.#files.entry(parent)) !== undefined;
        this.#above.set(parent, (above = isThere ? await this.#judge(parent) : null));
      }
      if (above !== null) return [above];
    }
    if (!(await this.#files.isDirectory(path))) return [];
    const { entries } = await this.#files.list({ under: path });
    return Promise.all(entries.map((entry) => this.#judge(entry.path)));
  }

  /** Neither what comes, nor what was pulled: changed here, or deleted. */
  async isOwn(path: WorkspacePath, state: FileState): Promise<boolean> {
    const now = await this.#state(path);
    const before = this.#known.get(path);
    return !isSameState(now, state) && !isSameState(now, before);
  }

  async #judge(path: WorkspacePath): Promise<InTheWay> {
    return { path, isTheirs: !isSameState(await this.#state(path), this.#known.get(path)) };
  }

  async #state(path: WorkspacePath): Promise<FileState | null> {
    const entry = await this.#files.entry(path);
    return entry === undefined ? null : ((await freeze(path, entry, this.#files, this.#hashes))?.state ?? null);
  }
}

/** A copy that is there may be somebody's work by now; and the repository may have such a name itself. */
class CopyNames {
  readonly #files: Workspace;
  readonly #taken: Set<string>;
  readonly #chosen = new Map<WorkspacePath, string>();

  constructor(incoming: readonly Incoming[], files: Workspace) {
    this.#files = files;
    this.#taken = new Set(incoming.flatMap(({ path }) => [path, ...parentsOf(path)]));
  }

  async besides(path: WorkspacePath): Promise<string> {
    const chosen = this.#chosen.get(path);
    if (chosen !== undefined) return chosen;
    for (let count = 1; ; count += 1) {
      const name = (count === 1 ? `${path}.conflict` : `${path}.conflict-${count}`) as WorkspacePath;
      if (this.#taken.has(name) || (await this.#files.entry(name)) !== undefined) continue;
      if (await this.#files.isDirectory(name)) continue;
      this.#taken.add(name);
      this.#chosen.set(path, name);
      return name;
    }
  }
}
