// A session's draft: a layer over the project. Programs see it at the project's own path and at /workspace, and so do the file tools.
// The project changes only by a push that a person allows.
// Invariant: what the agent's grants hide in the project is not in the draft, also if the person makes it later.

import { existsSync } from "node:fs";
import type { WorkspaceView } from "../action/action.ts";
import type { Capability } from "../policy/capability.ts";
import type { ListedName } from "../command/words/globs.ts";
import type { ProjectPull } from "../git/draft/project-pull.ts";
import type { Repository } from "../git/repository.ts";
import { DRAFT_HOME } from "../policy/box-paths.ts";
import { type BoxWorkspace, draftInBox } from "../sandbox/box-workspace.ts";
import { type DraftRecord, hasDraft, readDraftRecord, removeDraft } from "../sandbox/draft-directory.ts";
import { DraftChanges, type DraftChangesSince } from "../sandbox/draft-changes.ts";
import { discardUntouched } from "../sandbox/draft-discard.ts";
import type { DraftHolder } from "../sandbox/draft-holder.ts";
import { hasRunningBoxes } from "../sandbox/draft-in-use.ts";
import { isTouched, markTouched, shieldedSince } from "../sandbox/draft-touched.ts";
import { homeOfDraft, type KeptHome } from "../sandbox/kept-home.ts";
import type { DraftParts } from "../sandbox/sandbox.ts";
import { errorCode } from "../shared/error-code.ts";
import { OneAtATime } from "../shared/one-at-a-time.ts";
import { isWithin, joinPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import { DraftWorkspace } from "../workspace/draft-workspace.ts";
import { limitWorkspace } from "../workspace/limited-workspace.ts";
import { isSameView } from "../workspace/location.ts";
import { parseWorkspaceDirectory, parseWorkspacePath, type WorkspacePath, workspaceRoot } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { beginDraft } from "./begin-draft.ts";
import { hidePatterns } from "./hidden-in-project.ts";
import { inDraftCapability } from "./committed-shown.ts";
import { draftArtifacts } from "./draft-artifacts.ts";
import { DraftGuard, type GuardLook } from "./draft-guard.ts";
import { repositoryInside } from "./draft-git.ts";
import { layerRights } from "./file-rights.ts";
import { finishPull } from "./finish-pull.ts";
import { describeBehind, type ProjectChanges, ProjectWatch } from "./project-changes.ts";
import { describeLeftOut } from "./left-out.ts";
import { pullProject } from "./pull-project.ts";
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
  /** HOME of what `sallyport run` starts. */
  readonly kept: KeptHome | null;
}

/** A draft that has begun and is mounted. */
interface MountedDraft {
  readonly record: DraftRecord;
  readonly holder: DraftHolder;
  readonly mounted: string;
  readonly files: DraftWorkspace;
  /** See `Shielded`. */
  readonly unchanged: Map<string, string>;
  readonly attempted: Set<string>;
}

const MOUNT_TRIES = 50;
const IS_LIVE =
  "The project has too many files to copy them. Where this session has not changed a file, each call sees the project as it is when the call begins.";

const IS_FILTERED =
  "The history is without what is hidden, or lies outside of the project. So commits have other ids than in the person's repository.";

function noteOf({ isLive, leftOut, parent }: DraftRecord): CallNotes {
  const lines = [
    ...(isLive ? [IS_LIVE] : []),
    ...(leftOut === undefined ? [] : [describeLeftOut(leftOut)]),
    ...(parent === undefined ? [] : [IS_FILTERED]),
  ];
  return lines.length === 0 ? {} : { workspace: lines.join(" ") };
}

export class DraftSession implements SessionWorkspace {
  readonly view: WorkspaceView;
  readonly path: string;
  readonly home = DRAFT_HOME;
  readonly #options: DraftOptions;
  readonly #turns = new OneAtATime();
  readonly #changes: DraftChanges;
  /** Up to here, the changes in the draft have been told. */
  #position = 0;
  /** What the gate itself has removed is told to nobody. Up to here, that is known. */
  #shieldedPosition = 0;
  #hasOwnChanges = false;
  #draft: MountedDraft | null = null;
  /** What the agent may do, at the last call. */
  #capability: Capability | null = null;
  readonly #guard: DraftGuard;
  readonly #watch: ProjectWatch;
  #inProject: ProjectChanges | null = null;
  /** What the draft was behind when it was found that it cannot begin anew. */
  #keptBehind: string | null = null;

  constructor(options: DraftOptions) {
    this.view = { kind: "draft", path: options.project };
    this.path = options.project;
    this.#options = options;
    this.#changes = new DraftChanges(options.directory);
    this.#watch = new ProjectWatch(options);
    this.#guard = new DraftGuard(
      () => Object.keys({ "": [], ...this.#draft?.record.merged }).map((path) => joinPath(options.project, path)),
      () => this.#turns.run(() => this.#lookMeanwhile()),
    );
  }

  get files(): DraftWorkspace {
    if (this.#draft === null) throw new Error("the draft has not begun");
    return this.#draft.files;
  }

  get firstCommit(): string | null {
    return this.#draft?.record.base ?? null;
  }

  get inProject(): ProjectChanges | null {
    return this.#inProject;
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
    return limitWorkspace(this.files, layerRights(this.path, this.#options.directory, capability));
  }

  repositoryAt(root: string): Repository | null {
    return root === this.path ? repositoryInside(this.path) : null;
  }

  async begin(call: CallStart): Promise<Result<CallNotes>> {
    return await this.#turns.run(async () => {
      await this.#forgetOtherView(call);
      const behind = await this.#behind(call);
      const isNew = !hasDraft(this.#options.directory);
      let draft = await this.#mount(call);
      if (!draft.ok) return draft;
      const finished = call.isDryRun ? ok(false) : await finishPull(this.#options, call);
      if (!finished.ok) return finished;
      if (finished.value) draft = await this.#mount(call);
      if (!draft.ok) return draft;
      const inDraft = inDraftCapability(this.path, draft.value.record.shown, call.capability);
      const shielded = await shieldDraft(draft.value, this.#options, inDraft);
      if (shielded.failure !== null) return { ok: false, failure: shielded.failure };
      this.#hasOwnChanges ||= shielded.count > 0;
      this.#capability = inDraft;
      return ok({
        ...(behind === null ? {} : { behind }),
        ...(isNew ? noteOf(draft.value.record) : {}),
      });
    });
  }

  projectPull(call: CallStart): ProjectPull {
    const { project } = this.#options;
    const run: ProjectPull["run"] = async (forget) => {
      const draft = await this.#mount(call);
      if (!draft.ok) return draft;
      const pulled = await pullProject(this.#options, draft.value.record, call, forget);
      const mounted = await this.#mount(call);
      return mounted.ok ? pulled : mounted;
    };
    return { project, run: (forget) => this.#turns.run(() => run(forget)) };
  }

  async materialize(granted: WorkspaceView): Promise<BoxWorkspace | null> {
    return await this.#turns.run(async () => {
      if (!isSameView(granted, this.view) || this.#draft === null) return null;
      const { project, directory, kept } = this.#options;
      // What the file tools have changed since the last run is not this run's.
      if (this.#hasOwnChanges) {
        this.#position = (await this.#changes.since(this.#position)).position;
        this.#shieldedPosition = shieldedSince(directory, this.#shieldedPosition).end;
      }
      this.#hasOwnChanges = false;
      const { record } = this.#draft;
      const remount = () => this.#turns.run(() => this.#hold(record));
      const homeOnDisk = homeOfDraft(directory, kept);
      return draftInBox({ project, directory, remount, homeOnDisk, guard: (end) => this.#guard.hold(end) });
    });
  }

  /** Calls that run at the same time share one list: each change is told by the call that ends first after it. */
  async importChanges(): Promise<ImportedChanges> {
    return await this.#turns.run(async () => {
      const since = await this.#withoutShielded(await this.#changes.since(this.#position));
      this.#position = since.position;
      if (since.changes.length > 0 || !since.isComplete) markTouched(this.#options.directory);
      return await draftArtifacts(since, this.files);
    });
  }

  /** Without what the gate itself has removed meanwhile, unless the session has made something of that name. */
  async #withoutShielded(since: DraftChangesSince): Promise<DraftChangesSince> {
    const { paths, end } = shieldedSince(this.#options.directory, this.#shieldedPosition);
    this.#shieldedPosition = end;
    if (paths.length === 0) return since;
    const isGone = await Promise.all(
      since.changes.map(async ({ path }) => {
        if (!paths.some((removed) => isWithin(path, removed))) return false;
        const parsed = parseWorkspacePath(path);
        return (
          parsed.ok &&
          (await this.files.entry(parsed.value)) === undefined &&
          !(await this.files.isDirectory(parsed.value))
        );
      }),
    );
    return { ...since, changes: since.changes.filter((_, index) => isGone[index] !== true) };
  }

  /** While a box runs. Only what its programs can read although it is hidden ends the box. */
  async #lookMeanwhile(): Promise<GuardLook> {
    const startedMs = performance.now();
    const draft = this.#draft;
    // If the holder was killed, the gate reaches the draft only when the box has ended.
    if (draft === null || this.#capability === null || !existsSync(draft.mounted))
      return { count: 0, exposed: null, tookMs: 0 };
    const { count, failure, isExposed } = await shieldDraft(draft, this.#options, this.#capability);
    return { count, exposed: isExposed ? failure : null, tookMs: performance.now() - startedMs };
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
    const { directory } = this.#options;
    const record = this.#draft?.record ?? readDraftRecord(directory);
    if (record === null) return null;
    const capability = inDraftCapability(this.path, record.shown, call.capability);
    const changes = await this.#watch.since(record, { ...call, capability });
    this.#inProject = changes;
    const behind = describeBehind(changes);
    if (behind === null || call.isDryRun || behind === this.#keptBehind) return behind;
    if (!(await this.#forget(record))) return (this.#keptBehind = behind);
    this.#inProject = null;
    return null;
  }

  /** If the agent may see other files than when the draft began, and nothing was changed in it, it begins anew. */
  async #forgetOtherView({ capability }: CallStart): Promise<void> {
    const { project, directory } = this.#options;
    const record = this.#draft?.record ?? readDraftRecord(directory);
    if (record !== null && hidePatterns(project, capability) !== record.hide) await this.#forget(record);
  }

  /** Removes the draft, so that it begins anew. False if it stays: something was changed in it, or it is in use. */
  async #forget(record: DraftRecord): Promise<boolean> {
    const { directory } = this.#options;
    if (isTouched(directory, record.begunAt) || hasRunningBoxes(directory)) return false;
    return (await this.#release()) && discardUntouched(directory, record);
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
    const { directory } = this.#options;
    if (hasDraft(directory)) return await this.#mountBegun();
    const begun = await beginDraft(this.#options, call);
    if (!begun.ok) return begun;
    try {
      return await this.#mountBegun();
    } finally {
      begun.value.release();
    }
  }

  async #mountBegun(): Promise<Result<MountedDraft>> {
    const { project, directory } = this.#options;
    const record = readDraftRecord(directory);
    const { agent, name } = this.#options.session;
    if (record === null || record.project !== project || record.agent !== agent || record.session !== name)
      return fail("sandbox_unavailable", `The draft in ${directory} is of another session, or cannot be read.`);
    return await this.#hold(record);
  }

  async #hold(record: DraftRecord): Promise<Result<MountedDraft>> {
    const { project, directory, parts } = this.#options;
    const holder = this.#draft?.holder ?? parts.holder(directory, project);
    for (let tries = 0; ; tries += 1) {
      const mounted = await holder.mounted();
      if (!mounted.ok) return mounted;
      if (this.#draft?.mounted === mounted.value && existsSync(mounted.value))
        return ok((this.#draft = { ...this.#draft, record })); // another gate may have pulled
      try {
        const known = this.#draft?.files;
        known?.moveTo(mounted.value);
        const files = known ?? new DraftWorkspace(mounted.value, record.ignoreRules);
        this.#draft = { record, holder, mounted: mounted.value, files, unchanged: new Map(), attempted: new Set() };
        this.#position = this.#changes.position();
        this.#shieldedPosition = shieldedSince(directory, this.#shieldedPosition).end;
        return ok(this.#draft);
      } catch (error) {
        // The holder was killed just now. The next one finds everything that was written.
        if (errorCode(error) !== "ENOENT" || tries === MOUNT_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
}
