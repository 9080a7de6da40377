// A session's draft: a layer over the project. Programs see it at the project's own path and at /workspace, and so do the file tools.
// The project changes only by a push that a person allows.
// Invariant: what the agent's grants hide in the project is not in the draft, also if the person makes it later.

import { existsSync } from "node:fs";
import type { WorkspaceView } from "../action/action.ts";
import type { ListedName } from "../command/words/globs.ts";
import { findRepository, type Repository } from "../git/repository.ts";
import { DRAFT_HOME } from "../policy/box-paths.ts";
import { type BoxWorkspace, draftInBox } from "../sandbox/box-workspace.ts";
import { type DraftRecord, readDraftRecord, removeDraft } from "../sandbox/draft-directory.ts";
import { DraftChanges } from "../sandbox/draft-changes.ts";
import type { DraftHolder } from "../sandbox/draft-holder.ts";
import { isTouched } from "../sandbox/draft-touched.ts";
import type { DraftParts } from "../sandbox/sandbox.ts";
import { errorCode } from "../shared/error-code.ts";
import { OneAtATime } from "../shared/one-at-a-time.ts";
import { isWithin } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import { DraftWorkspace } from "../workspace/draft-workspace.ts";
import { limitWorkspace } from "../workspace/limited-workspace.ts";
import { isSameView } from "../workspace/location.ts";
import { parseWorkspaceDirectory, parseWorkspacePath, type WorkspacePath, workspaceRoot } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { beginDraft } from "./begin-draft.ts";
import { draftArtifacts } from "./draft-artifacts.ts";
import { repositoryInside } from "./draft-git.ts";
import { layerRights } from "./file-rights.ts";
import { describeBehind, repositoryStamp } from "./project-state.ts";
import { shieldDraft } from "./shield-draft.ts";
import type { AgentRights, CallNotes, CallStart, ImportedChanges, SessionWorkspace } from "./session-workspace.ts";

export interface DraftOptions {
  /** The real path. */
  readonly project: string;
  /** Where the draft is, or is to be. */
  readonly directory: string;
  readonly session: SessionId;
  readonly endsWithGate: boolean;
  readonly parts: DraftParts;
}

/** A draft that has begun and is mounted. */
interface MountedDraft {
  readonly record: DraftRecord;
  readonly holder: DraftHolder;
  readonly mounted: string;
  readonly files: DraftWorkspace;
  /** See `Shielded`. */
  readonly unchanged: Map<string, string>;
}

const MOUNT_TRIES = 50;

export class DraftSession implements SessionWorkspace {
  readonly view: WorkspaceView;
  readonly path: string;
  readonly home = DRAFT_HOME;
  readonly #options: DraftOptions;
  readonly #turns = new OneAtATime();
  readonly #changes: DraftChanges;
  /** Up to here, the changes in the draft have been told. */
  #position = 0;
  #hasOwnChanges = false;
  #draft: MountedDraft | null = null;
  /** True once something was seen to be changed in the draft. Looking for it takes longer the more files there are. */
  #isTouched = false;
  /** What the project has since the draft began, by the state in which this was looked up. */
  #moved: { readonly stamp: string; readonly behind: string | null } | null = null;

  constructor(options: DraftOptions) {
    this.view = { kind: "draft", path: options.project };
    this.path = options.project;
    this.#options = options;
    this.#changes = new DraftChanges(options.directory);
  }

  get files(): DraftWorkspace {
    if (this.#draft === null) throw new Error("the draft has not begun");
    return this.#draft.files;
  }

  get firstCommit(): string | null {
    return this.#draft?.record.base ?? null;
  }

  contains(path: string): boolean {
    return isWithin(path, workspaceRoot) || isWithin(path, this.path);
  }

  spelled(path: string): string {
    return isWithin(path, this.path) ? workspaceRoot + path.slice(this.path.length) : path;
  }

  onDisk(path: string): string | null {
    return isWithin(path, workspaceRoot) ? this.path + path.slice(workspaceRoot.length) : null;
  }

  async isDirectory(path: string): Promise<boolean> {
    const parsed = parseWorkspaceDirectory(this.spelled(path));
    const resolved = parsed.ok ? await this.files.resolve(parsed.value) : parsed;
    return resolved.ok && (await this.files.isDirectory(resolved.value));
  }

  namesIn(path: string): readonly ListedName[] | null {
    const directory = parseWorkspaceDirectory(this.spelled(path));
    return directory.ok ? this.files.namesIn(directory.value) : null;
  }

  ownFile(path: string): Result<WorkspacePath> | null {
    return this.contains(path) ? parseWorkspacePath(this.spelled(path)) : null;
  }

  filesFor({ capability }: AgentRights): Workspace {
    return limitWorkspace(this.files, layerRights(this.path, capability));
  }

  repositoryAt(root: string): Repository | null {
    return root === this.path ? repositoryInside(this.path) : null;
  }

  async begin(call: CallStart): Promise<Result<CallNotes>> {
    return await this.#turns.run(async () => {
      const behind = await this.#behind(call);
      const draft = await this.#mount(call);
      if (!draft.ok) return draft;
      const shielded = await shieldDraft(draft.value, this.#options, call.capability);
      if (!shielded.ok) return shielded;
      this.#hasOwnChanges ||= shielded.value > 0;
      return ok(behind === null ? {} : { behind });
    });
  }

  async materialize(granted: WorkspaceView): Promise<BoxWorkspace | null> {
    if (!isSameView(granted, this.view) || this.#draft === null) return null;
    const { project, directory } = this.#options;
    // What the file tools have changed since the last run is not this run's.
    if (this.#hasOwnChanges) this.#position = (await this.#changes.since(this.#position)).position;
    this.#hasOwnChanges = false;
    return draftInBox({ project, directory });
  }

  /** Calls that run at the same time share one list: each change is told by the call that ends first after it. */
  async importChanges(): Promise<ImportedChanges> {
    const since = await this.#changes.since(this.#position);
    this.#position = since.position;
    return await draftArtifacts(since, this.files);
  }

  sync(): Promise<Result<undefined>> {
    this.#hasOwnChanges = true;
    return Promise.resolve(ok(undefined));
  }

  close(): void {
    const { directory, endsWithGate } = this.#options;
    const record = this.#draft?.record;
    void this.#draft?.files.close();
    this.#draft?.holder.close();
    this.#draft = null;
    // Nobody can open this session again. What was changed in it stays.
    if (endsWithGate && record !== undefined && !isTouched(directory, record.begunAt)) removeDraft(directory);
  }

  /** What the project has since the draft began. A draft in which nothing was changed is removed instead, so that it begins anew. */
  async #behind(call: CallStart): Promise<string | null> {
    const { project, directory } = this.#options;
    const record = this.#draft?.record ?? readDraftRecord(directory);
    if (record === null || record.stamp === null || record.head === null) return null;
    const { repository } = findRepository(project);
    if (!repository.ok) return null;
    const stamp = repositoryStamp(repository.value);
    if (stamp === record.stamp) return null;
    if (this.#moved?.stamp !== stamp)
      this.#moved = { stamp, behind: await describeBehind(repository.value, record.head, call) };
    const { behind } = this.#moved;
    this.#isTouched ||= behind !== null && isTouched(directory, record.begunAt);
    if (behind === null || call.isDryRun || this.#isTouched) return behind;
    if (!(await this.#release())) return behind; // another gate uses it
    removeDraft(directory);
    this.#moved = null;
    return null;
  }

  /** Unmounts the draft. False if it stays mounted because another gate uses it. */
  async #release(): Promise<boolean> {
    const draft = this.#draft;
    const holder = draft?.holder ?? this.#options.parts.holder(this.#options.directory, this.#options.project);
    await draft?.files.close();
    this.#draft = null;
    return await holder.end();
  }

  /** Begins the draft if it does not exist, and mounts it if it is not mounted. */
  async #mount(call: CallStart): Promise<Result<MountedDraft>> {
    const { project, directory, parts } = this.#options;
    let record = readDraftRecord(directory);
    if (record === null) {
      const begun = await beginDraft(this.#options, call);
      if (!begun.ok) return begun;
      record = readDraftRecord(directory);
    }
    const { agent, name } = this.#options.session;
    if (record === null || record.project !== project || record.agent !== agent || record.session !== name)
      return fail("sandbox_unavailable", `The draft in ${directory} is of another session, or cannot be read.`);
    const holder = this.#draft?.holder ?? parts.holder(directory, project);
    for (let tries = 0; ; tries += 1) {
      const mounted = await holder.mounted();
      if (!mounted.ok) return mounted;
      if (this.#draft?.mounted === mounted.value && existsSync(mounted.value)) return ok(this.#draft);
      void this.#draft?.files.close();
      this.#draft = null;
      try {
        const files = new DraftWorkspace(mounted.value);
        this.#draft = { record, holder, mounted: mounted.value, files, unchanged: new Map() };
        this.#position = this.#changes.position();
        return ok(this.#draft);
      } catch (error) {
        // The holder was killed just now. The next one finds everything that was written.
        if (errorCode(error) !== "ENOENT" || tries === MOUNT_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
}
