// A person's work in this browser: who they are at GitHub, the repository that is open, and the agent in it.

import type { BrowserStores } from "../../src/browser/browser-stores.ts";
import { parseGithubRepo } from "../../src/git/target/url.ts";
import type { Failure } from "../../src/shared/failure.ts";
import { fail, ok, type Result } from "../../src/shared/result.ts";
import type { OpeningState, OpenRequest, OpenRepository, StorageState, WorkState } from "../../src/web/api-work.ts";
import { openPackWorkspace, type PackHandles } from "../../src/workspace/pack-workspace.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { Agent } from "./agent.ts";
import { type Draft, type DraftContext, openDraft } from "./draft.ts";
import type { Kept, KeptDraft } from "./kept.ts";
import { openModel } from "./model.ts";
import { emptyPack } from "./opfs.ts";
import type { Secrets } from "./secrets.ts";
import type { SignIn } from "./sign-in.ts";

export interface WorkParts extends DraftContext {
  readonly kept: Kept;
  readonly secrets: Secrets;
  readonly signIn: SignIn;
  readonly stores: BrowserStores;
  /** Opens the two files of the draft. */
  readonly openPack: () => Promise<PackHandles>;
}

const STORAGE_KNOWN_MS = 3_000;

export class Work {
  readonly #parts: WorkParts;
  readonly agent: Agent;
  #draft: Draft | null = null;
  #files: Workspace | null = null;
  #opening: OpeningState | null = null;
  #hasModelKey = false;
  #storage: { readonly at: number; readonly state: StorageState } | null = null;
  /** Changes with what the panel shows. */
  version = 0;

  constructor(parts: WorkParts) {
    this.#parts = parts;
    this.agent = new Agent(() => this.changed());
  }

  changed(): void {
    this.version += 1;
  }

  get draft(): Draft | null {
    return this.#draft;
  }

  /** What was open before the worker started. */
  async restore(): Promise<void> {
    const { kept, secrets, signIn } = this.#parts;
    await signIn.restore();
    this.#hasModelKey = (await secrets.read("model-key")) !== null;
    const before = kept.read("draft");
    if (before === null) return;
    // A pull that was cut off: nothing of it was changed by anybody.
    if (before.commit === null) return kept.keep("draft", null);
    const opened = await this.#openFiles("as it is");
    if (!opened.ok) throw new Error(opened.failure.message);
    this.#draft = openDraft(before, opened.value, this.#parts);
  }

  async state(): Promise<WorkState> {
    const { kept, signIn } = this.#parts;
    const { model, ...settings } = kept.read("settings");
    return {
      settings: { ...settings, model: model === null ? null : { ...model, hasKey: this.#hasModelKey } },
      account: signIn.account,
      signIn: signIn.state,
      open: await this.#openState(),
      opening: this.#opening,
      agent: this.agent.state,
      storage: await this.#storageState(),
    };
  }

  /** Null forgets it. */
  async keepModelKey(key: string | null): Promise<void> {
    await this.#parts.secrets.keep("model-key", key);
    this.#hasModelKey = key !== null;
    this.changed();
  }

  /** Begins a draft: the person is asked about contacting GitHub, and all files of the branch are pulled. */
  async open({ repository, branch }: OpenRequest): Promise<Result<OpenRepository>> {
    const repo = parseGithubRepo(repository);
    if (!repo.ok) return repo;
    if (this.#opening !== null)
      return fail("conflict", "Another repository is being opened.", { hint: "Wait for it." });
    if (this.#draft !== null && (await this.#draft.view.changedCount()) > 0)
      return fail("conflict", `The draft of ${this.#draft.kept.repository} has changes.`, {
        hint: "Push them, or discard the draft.",
      });
    const { kept } = this.#parts;
    const { githubUrl } = kept.read("settings");
    const session = `${repository} ${branch} ${crypto.randomUUID().slice(0, 8)}`;
    const begun: KeptDraft = { repository, branch, session, commit: null, githubUrl };
    this.#opening = { repository, branch, files: 0, total: null };
    this.changed();
    try {
      await this.#closeDraft();
      kept.keep("draft", begun);
      const files = await this.#openFiles("empty");
      if (!files.ok) return files;
      const pulled = await this.#pull(openDraft(begun, files.value, this.#parts));
      if (!pulled.ok) {
        await this.#closeDraft();
        return pulled;
      }
      const whole = { ...begun, commit: pulled.value };
      kept.keep("draft", whole);
      this.#draft = openDraft(whole, files.value, this.#parts);
    } finally {
      this.#opening = null;
      this.changed();
    }
    const opened = await this.#openState();
    return opened === null ? fail("internal", "The draft was closed meanwhile.") : ok(opened);
  }

  /** With what it has that was not pushed. */
  async discard(): Promise<void> {
    this.agent.stop();
    await this.#closeDraft();
    this.changed();
  }

  async startAgent(task: string): Promise<Result<undefined>> {
    const { kept, secrets } = this.#parts;
    if (this.#draft === null) return noDraft();
    if (this.agent.isRunning) return fail("conflict", "The agent is at work.", { hint: "Stop it first, or wait." });
    const model = openModel(kept.read("settings").model, await secrets.read("model-key"));
    if (!model.ok) return model;
    void this.agent.run(task, model.value, this.#draft.agent);
    return ok(undefined);
  }

  async #pull({ kept: { repository, branch }, person }: Draft): Promise<Result<string>> {
    const args = { source: { type: "github", repo: repository, branch }, paths: ["."] };
    const reply = await person.call(
      { tool: "git_pull", args },
      {
        onProgress: (files, total) => {
          this.#opening = { repository, branch, files, total };
          this.changed();
        },
      },
    );
    if (reply.ok) return ok(String(reply.result["commitSha"]));
    const { ok: _, ...failure } = reply;
    return { ok: false, failure: failure as Failure };
  }

  async #openFiles(how: "empty" | "as it is"): Promise<Result<Workspace>> {
    const handles = await this.#parts.openPack();
    if (how === "empty") emptyPack(handles);
    const opened = await openPackWorkspace(handles);
    if (!opened.ok) {
      for (const handle of handles) handle.close();
      return opened;
    }
    this.#files = opened.value.files;
    return ok(opened.value.files);
  }

  async #closeDraft(): Promise<void> {
    this.#draft = null;
    this.#parts.kept.keep("draft", null);
    await this.#files?.close();
    this.#files = null;
  }

  async #openState(): Promise<OpenRepository | null> {
    if (this.#draft === null) return null;
    const { repository, branch, session, commit } = this.#draft.kept;
    return { repository, branch, session, commit: commit ?? "", changed: await this.#draft.view.changedCount() };
  }

  /** The browser counts it anew each time, which takes a while. */
  async #storageState(): Promise<StorageState> {
    const now = performance.now();
    if (this.#storage !== null && now - this.#storage.at < STORAGE_KNOWN_MS) return this.#storage.state;
    const { usage = 0, quota = null } = await navigator.storage.estimate();
    const state = { usedBytes: usage, quotaBytes: quota, isPersisted: await navigator.storage.persisted() };
    this.#storage = { at: now, state };
    return state;
  }
}

export function noDraft(): { ok: false; failure: Failure } {
  return fail("not_found", "No repository is open.", { hint: "Open one first." });
}
