// Compares a draft with its first commit, and files that were landed or pulled since with that state. It reads only files that git calls
// changed, however many there are in the project.

import type { Hashes } from "../../shared/hash.ts";
import { ok, type Result } from "../../shared/result.ts";
import type { SessionId } from "../../shared/session-id.ts";
import { IgnoredFiles } from "../../workspace/ignored-files.ts";
import { compareWorkspacePaths, type WorkspacePath } from "../../workspace/path.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { blobId } from "../object-hash.ts";
import type { ObjectId } from "../publish/object.ts";
import type {
  BaseFile,
  ChangedFiles,
  ComparedBase,
  MadeCommits,
  MadeTree,
  SeriesToStage,
} from "../publish/push/compared-base.ts";
import type { WantedPaths } from "../publish/push/wanted-paths.ts";
import { freeze, isSameState, stateOf, type WorkspaceDifference } from "../publish/push/workspace-state.ts";
import { contentHash, type FileState, type PulledFile, type StagedStore } from "../staged.ts";
import {
  type FoundDifference,
  type FoundDifferences,
  trackedDifferences,
  untrackedFiles,
} from "./draft-differences.ts";
import type { DraftGit } from "./draft-git.ts";
import { FirstCommit, type NamedBlob } from "./first-commit.ts";
import { madeCommits } from "./made-commits.ts";
import { madeEntries, madeSeries, type WantedSeries } from "./session-series.ts";
import { seriesToStage } from "./staged-series.ts";

export interface DraftBaseParts {
  readonly git: DraftGit;
  /** The id of the draft's first commit, as the gate noted it. */
  readonly base: ObjectId;
  readonly staged: StagedStore;
  readonly session: SessionId;
  readonly hashes: Hashes;
}

export function createDraftBase(parts: DraftBaseParts): ComparedBase {
  return new DraftBase(parts);
}

/** What is known of a file, besides what is in the workspace now. A file whose deletion has landed was none. */
interface Known extends FoundDifference {
  readonly was: NamedBlob | null;
  readonly pulled: PulledFile | undefined;
}

class DraftBase implements ComparedBase {
  readonly #parts: DraftBaseParts;
  readonly #first: FirstCommit;

  constructor(parts: DraftBaseParts) {
    this.#parts = parts;
    this.#first = new FirstCommit(parts.git, parts.base, parts.hashes);
  }

  async changed(
    files: Workspace,
    wanted: WantedPaths,
    settled: ReadonlyMap<string, FileState | null>,
  ): Promise<Result<ChangedFiles>> {
    const { staged, session } = this.#parts;
    const pulled = staged.pulled(session);
    const deleted = staged.deleted(session);
    const found = await this.#find(files, wanted, pulled);
    if (!found.ok) return found;
    const known = [...found.value].map(([path, one]): [WorkspacePath, Known] => {
      const noted = { pulled: pulled.get(path) };
      return [
        path,
        deleted.has(path)
          ? { was: null, isCertain: true, ...noted }
          : { was: one.was ?? null, isCertain: one.isCertain, ...noted },
      ];
    });
    const inBase = known.filter(([, one]) => one.was !== null || one.pulled !== undefined);
    const checked = await wanted.check(
      files,
      inBase.map(([path]) => path),
    );
    if (!checked.ok) return checked;
    const changes: WorkspaceDifference[] = [];
    for (const [path, one] of known) {
      const status = await this.#status(path, one, files, settled);
      if (status !== null) changes.push({ path, status });
    }
    return ok({ changes: changes.sort((a, b) => compareWorkspacePaths(a.path, b.path)), ignored: null });
  }

  async files(paths: readonly WorkspacePath[]): Promise<Result<ReadonlyMap<string, BaseFile>>> {
    const { staged, session, hashes } = this.#parts;
    const pulled = staged.pulled(session);
    const deleted = staged.deleted(session);
    const named = await this.#first.find(paths.filter((path) => !pulled.has(path) && !deleted.has(path)));
    if (!named.ok) return named;
    const contents = await this.#first.read([...named.value.values()].map(({ id }) => id));
    if (!contents.ok) return contents;
    const found = new Map<string, BaseFile>();
    for (const path of paths) {
      const file = pulled.get(path);
      if (file !== undefined) {
        const stored = () => staged.content(file.contentHash, session);
        found.set(path, { state: stateOf(file), bytes: stored, isStored: true });
        continue;
      }
      const blob = named.value.get(path);
      const bytes = blob === undefined ? undefined : contents.value.get(blob.id);
      if (blob === undefined || bytes === undefined) continue;
      const state = { contentHash: contentHash(hashes, bytes), size: bytes.length, mode: blob.mode };
      found.set(path, { state, bytes: () => bytes, isStored: false });
    }
    return ok(found);
  }

  async tracked(paths: readonly WorkspacePath[]): Promise<Result<ReadonlySet<string>>> {
    const { staged, session } = this.#parts;
    const noted = this.#noted(staged.pulled(session));
    const named = await this.#first.find(paths.filter((path) => !noted.has(path)));
    if (!named.ok) return named;
    return ok(new Set(paths.filter((path) => noted.has(path) || named.value.has(path))));
  }

  commits(): Promise<Result<MadeCommits>> {
    return madeCommits(this.#parts.git, this.#parts.base);
  }

  async series(wanted: WantedSeries): Promise<Result<SeriesToStage>> {
    const { git, base, hashes } = this.#parts;
    const made = await madeSeries(git, base, wanted);
    return made.ok ? await seriesToStage(made.value, this.#first, hashes) : made;
  }

  async madeTree(commit: ObjectId): Promise<Result<MadeTree>> {
    const entries = await madeEntries(this.#parts.git, commit);
    return entries.ok ? ok({ entries: entries.value, read: (ids) => this.#first.read(ids) }) : entries;
  }

  /** Paths that count as tracked, whatever git says. */
  #noted(pulled: ReadonlyMap<string, PulledFile>): Set<string> {
    const { staged, session } = this.#parts;
    const files = staged.list(session).flatMap((commit) => commit.files);
    return new Set([...pulled.keys(), ...staged.deleted(session), ...files.map(({ path }) => path)]);
  }

  /** Wanted files that may differ, with what they were in the first commit. */
  async #find(
    files: Workspace,
    wanted: WantedPaths,
    pulled: ReadonlyMap<string, PulledFile>,
  ): Promise<Result<FoundDifferences>> {
    const { git, base } = this.#parts;
    const tracked = await trackedDifferences(git, base, wanted.paths);
    if (!tracked.ok) return tracked;
    const untracked = await this.#untracked(files, wanted);
    if (!untracked.ok) return untracked;
    const found = tracked.value;
    for (const path of untracked.value) if (!found.has(path)) found.set(path, { was: null, isCertain: true });
    const unclear = [...found].filter(([, { was }]) => was === undefined).map(([path]) => path);
    const noted = [...this.#noted(pulled)].filter((path) => !found.has(path as WorkspacePath)) as WorkspacePath[];
    const named = await this.#first.find([...unclear, ...noted].filter((path) => wanted.has(path)));
    if (!named.ok) return named;
    for (const path of [...unclear, ...noted])
      found.set(path, { was: named.value.get(path) ?? null, isCertain: false });
    // There may have been too many paths for a command line.
    return ok(new Map([...found].filter(([path]) => wanted.has(path))));
  }

  /** Of a file or an ignored directory that the call names, nothing is left out. */
  async #untracked(files: Workspace, wanted: WantedPaths): Promise<Result<WorkspacePath[]>> {
    const { git } = this.#parts;
    const found = await untrackedFiles(git, wanted.paths);
    if (!found.ok) return found;
    const rules = new IgnoredFiles(files);
    const whole: WorkspacePath[] = [];
    for (const path of wanted.named)
      if (!(await files.isDirectory(path)) || (await rules.hasDirectory(path))) whole.push(path);
    if (whole.length === 0) return found;
    const ignored = await untrackedFiles(git, whole, true);
    if (!ignored.ok) return ignored;
    const isBelow = (path: WorkspacePath) => whole.some((one) => path === one || path.startsWith(`${one}/`));
    return ok([...found.value, ...ignored.value.filter(isBelow)]);
  }

  /** Null if the file is as it was, or in its settled state, or the agent may not see it. */
  async #status(
    path: WorkspacePath,
    { was, isCertain, pulled }: Known,
    files: Workspace,
    settled: ReadonlyMap<string, FileState | null>,
  ): Promise<WorkspaceDifference["status"] | null> {
    const isNew = was === null && pulled === undefined;
    const entry = await files.entry(path);
    if (entry === undefined) return isNew || settled.get(path) === null ? null : "deleted";
    const status = isNew ? "new" : "modified";
    if (isCertain && pulled === undefined && !settled.has(path)) return status;
    const { hashes } = this.#parts;
    const now = await freeze(path, entry, files, hashes);
    if (now === null) return null;
    const { state, bytes } = now;
    if (settled.has(path) && isSameState(settled.get(path), state)) return null;
    if (pulled !== undefined) return isSameState(pulled, state) ? null : status;
    if (isCertain || was === null) return status;
    const isSame =
      was.mode === state.mode && blobId(was.id.length === 64 ? "sha256" : "sha1", bytes, hashes) === was.id;
    return isSame ? null : status;
  }
}
