// Plans what a pull does to the workspace. It only reads.
// Invariant: only "overwrite" undoes a change that was made in the workspace (to a file, its mode, or a deletion). A file that is
// unchanged since it was pulled follows the repository.

import type { FileState, PulledFile } from "../../staged.ts";
import type { Hashes } from "../../../shared/hash.ts";
import { parentsOf, type WorkspacePath } from "../../../workspace/path.ts";
import type { Change, Workspace } from "../../../workspace/workspace.ts";
import { freeze, isSameState } from "./workspace-state.ts";

export interface Incoming {
  readonly path: WorkspacePath;
  readonly state: FileState;
  readonly bytes: Uint8Array;
  /** The target of a link; null for a file. */
  readonly target: string | null;
}

export type OnConflict = "fail" | "overwrite" | "keep-both";

export interface PullChanges {
  readonly changes: readonly Change[];
  /** The files that are written under their own paths. From now on the workspace is compared with their states. */
  readonly pulled: readonly Incoming[];
  /** Paths that are deleted because a pulled file or directory takes their place. */
  readonly gone: readonly WorkspacePath[];
  /** Paths at which the workspace has changes of its own, including deletions. */
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
  const pulled: Incoming[] = [];
  const gone = new Set<WorkspacePath>();
  const conflicts = new Set<WorkspacePath>();
  const ownChanges = new OwnChanges(files, known, hashes);
  const names = new CopyNames(incoming, files);
  for (const each of incoming) {
    const { path, state } = each;
    const way = await ownChanges.wayTo(path);
    const theirs = way.filter(({ isTheirs }) => isTheirs).map((one) => one.path);
    if (way.length === 0 && (await ownChanges.isOwn(path, state))) theirs.push(path);
    for (const one of theirs) conflicts.add(one);
    if (theirs.length > 0 && onConflict === "keep-both") {
      const above = way.find((one) => path.startsWith(`${one.path}/`))?.path ?? path;
      changes.push(changeAt(each, `${await names.besides(above)}${path.slice(above.length)}` as WorkspacePath));
      continue;
    }
    for (const one of way) gone.add(one.path);
    changes.push(changeAt(each, path));
    pulled.push(each);
  }
  for (const path of gone) changes.push({ operation: "delete", path });
  return { changes, pulled, gone: [...gone], conflicts: [...conflicts] };
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

  /** Files and links at the paths of needed directories, or the files below a directory at the path of a needed file. */
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

  /** Whether the workspace's file differs from both the incoming and the pulled state: it was changed or deleted here. */
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

/** Chooses unused names for copies. An existing copy may have been edited since, and the repository may contain such a name itself. */
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
