// A person's work in this browser: who they are at GitHub, the repository that is open, and the agent in it.

import type { BrowserStores } from "../../src/browser/browser-stores.ts";
import { archiveProgress } from "../../src/git/target/github/github-objects.ts";
import { parseGithubRepo } from "../../src/git/target/url.ts";
import type { Failure } from "../../src/shared/failure.ts";
import { fail, ok, type Result } from "../../src/shared/result.ts";
import type { OpeningState, OpenRequest, OpenRepository, WorkState } from "../../src/web/api-work.ts";
import type { PackHandles } from "../../src/workspace/pack-workspace.ts";
import { Agent } from "./agent.ts";
import { type Draft, type DraftContext, openDraft } from "./draft.ts";
import { DraftFiles } from "./draft-files.ts";
import type { Kept, KeptDraft } from "./kept.ts";
import { openModel } from "./model.ts";
import type { Reserve } from "./reserve.ts";
import type { Secrets, StoredNotes } from "./service-port.ts";
import type { SignIn } from "./sign-in.ts";
import { Storage } from "./storage.ts";

export interface WorkParts extends DraftContext {
  readonly kept: Kept;
  readonly secrets: Secrets;
  readonly notes: StoredNotes;
  readonly signIn: SignIn;
  readonly stores: BrowserStores;
  /** Opens the two files of the draft. */
  readonly openPack: () => Promise<PackHandles>;
  readonly room: Reserve;
}

/** A draft that is being begun. */
interface Opening {
  state: OpeningState;
  readonly stop: AbortController;
  /** Resolves when it is open, or is not going to be. */
  readonly over: Promise<unknown>;
}

export class Work {
  readonly #parts: WorkParts;
  readonly #storage: Storage;
  readonly agent: Agent;
  #draft: Draft | null = null;
  #files: DraftFiles | null = null;
  #opening: Opening | null = null;
  #hasModelKey = false;
  /** Changes with what the panel shows. */
  version = 0;

  constructor(parts: WorkParts) {
    this.#parts = parts;
    this.#storage = new Storage(parts.kept, parts.notes, parts.room);
    this.agent = new Agent(() => this.changed());
  }

  changed(): void {
    this.version += 1;
  }

  storageChanged(): void {
    this.#storage.forget();
    this.changed();
  }

  noteDamageRead(): void {
    this.#storage.noteDamageRead();
    this.changed();
  }

  get draft(): Draft | null {
    return this.#draft;
  }

  /** What was open before the worker started. */
  async restore(): Promise<void> {
    const { kept, secrets, signIn } = this.#parts;
    await this.#storage.begin();
    await signIn.restore();
    this.#hasModelKey = (await secrets.read("model-key")) !== null;
    const before = kept.read("draft");
    if (before === null) return;
    // A pull that was cut off: nothing of it was changed by anybody.
    if (before.commit === null) return kept.keep("draft", null);
    const { repository, branch } = before;
    const { found, damage } = await DraftFiles.reopen(this.#parts, { repository, branch });
    if (damage !== null) this.#storage.noteDamage(damage);
    if (found === null) return kept.keep("draft", null);
    this.#files = found;
    this.#draft = openDraft(before, found.files, this.#parts);
  }

  async state(): Promise<WorkState> {
    const { kept, signIn } = this.#parts;
    const { model, ...settings } = kept.read("settings");
    return {
      settings: { ...settings, model: model === null ? null : { ...model, hasKey: this.#hasModelKey } },
      account: signIn.account,
      signIn: signIn.state,
      open: await this.#openState(),
      opening: this.#opening?.state ?? null,
      agent: this.agent.state,
      storage: await this.#storage.state(),
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
    const asked = { repository: repo.value.text, branch };
    const stop = new AbortController();
    const over = Promise.withResolvers<undefined>();
    const opening = (this.#opening = { state: { ...asked, files: 0, total: null }, stop, over: over.promise });
    this.changed();
    try {
      return await this.#open(asked, opening);
    } finally {
      this.#opening = null;
      over.resolve(undefined);
      this.changed();
    }
  }

  /** With what it has that was not pushed. A draft that is being begun is not begun. */
  async discard(): Promise<void> {
    this.#opening?.stop.abort();
    await this.#opening?.over;
    await this.#closeDraft("discarded");
    this.changed();
  }

  async startAgent(task: string): Promise<Result<undefined>> {
    const { kept, secrets } = this.#parts;
    const model = openModel(kept.read("settings").model, await secrets.read("model-key"));
    if (this.#draft === null) return noDraft();
    if (this.agent.isRunning) return fail("conflict", "The agent is at work.", { hint: "Stop it first, or wait." });
    if (!model.ok) return model;
    this.agent.start(task, model.value, this.#draft.agent);
    return ok(undefined);
  }

  async #open(asked: OpenRequest, opening: Opening): Promise<Result<OpenRepository>> {
    const changed = (await this.#draft?.view.pairs()) ?? ok([]);
    // What cannot be compared may have changes, too.
    if (!changed.ok || changed.value.length > 0)
      return fail("conflict", `The draft of ${this.#draft?.kept.repository} has changes.`, {
        hint: "Push them, or discard the draft.",
      });
    const { kept } = this.#parts;
    const { githubUrl } = kept.read("settings");
    const session = `${asked.repository} ${asked.branch} ${crypto.randomUUID().slice(0, 8)}`;
    await this.#closeDraft("replaced");
    const begun: KeptDraft = { ...asked, session, commit: null, githubUrl };
    kept.keep("draft", begun);
    const files = await DraftFiles.begin(this.#parts);
    if (!files.ok) return files;
    this.#files = files.value;
    const pulled = await this.#pull(openDraft(begun, files.value.files, this.#parts), opening);
    if (!pulled.ok) {
      await this.#closeDraft("discarded");
      return pulled;
    }
    const whole = { ...begun, commit: pulled.value };
    kept.keep("draft", whole);
    await this.#storage.noteDraft(asked);
    this.#draft = openDraft(whole, files.value.files, this.#parts);
    const opened = await this.#openState();
    return opened === null ? fail("internal", "The draft was closed meanwhile.") : ok(opened);
  }

  async #pull({ kept: { repository, branch }, person }: Draft, opening: Opening): Promise<Result<string>> {
    const args = { source: { type: "github", repo: repository, branch }, paths: ["."] };
    const reply = await person.call(
      { tool: "git_pull", args },
      {
        signal: opening.stop.signal,
        onProgress: (done, total, what) => {
          const isArchive = what === archiveProgress;
          opening.state = isArchive
            ? { repository, branch, bytes: done, files: 0, total: null }
            : { repository, branch, files: done, total };
          this.changed();
        },
      },
    );
    if (opening.stop.signal.aborted)
      return fail("conflict", `Opening ${repository} was ended.`, { hint: "Open it again." });
    if (reply.ok) return ok(String(reply.result["commitSha"]));
    const { ok: _, ...failure } = reply;
    return { ok: false, failure: failure as Failure };
  }

  async #closeDraft(how: "discarded" | "replaced"): Promise<void> {
    this.#draft = null;
    await this.agent.stop();
    this.#parts.kept.keep("draft", null);
    const files = this.#files;
    this.#files = null;
    await (how === "discarded" ? files?.discard() : files?.close());
    await this.#parts.room.take();
    this.#storage.forget();
    await this.#storage.noteDraft(null);
  }

  async #openState(): Promise<OpenRepository | null> {
    if (this.#draft === null) return null;
    const { repository, branch, session, commit } = this.#draft.kept;
    return { repository, branch, session, commit: commit ?? "", changed: await this.#draft.view.changedCount() };
  }
}

export function noDraft(): { ok: false; failure: Failure } {
  return fail("not_found", "No repository is open.", { hint: "Open one first." });
}
