// A repository on another machine as a target, over git's own transports: https, ssh, and http on this machine. Git fetches the
// trees of the branch into a private repository, and pushes the new commit from there.
// Invariant: the branch moves only from the commit that `look` saw to a child of that commit. The lease serves as
// compare-and-swap, and nothing is ever forced.

import { createHash, randomUUID } from "node:crypto";
import { deflateSync } from "node:zlib";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { parentPath } from "../../../shared/path.ts";
import type { ObjectFormat, ObjectId } from "../../publish/object.ts";
import { writePack } from "../../publish/pack.ts";
import { branchRef, parseBranchName } from "../../ref-name.ts";
import { checkLanding } from "../landing.ts";
import type { PersonGit, PersonGitOptions } from "./person-git.ts";
import { remoteFailure } from "./remote-error.ts";
import { RemoteObjects } from "./remote-objects.ts";
import { parsePorcelain } from "./remote-push.ts";
import { branchMoved, type Landing, type TargetReading, type Progress, type TargetState } from "../target.ts";
import type { RemoteUrl } from "../url.ts";

export interface RemoteTargetContext {
  readonly url: RemoteUrl;
  /** Null for the default branch of the repository. */
  readonly branch: string | null;
  /** Git for the person, under the grant to contact this address. It only reads and lands nothing. */
  readonly git: PersonGit;
  /** The real path of a directory that is private to the gate. The gate removes it when it ends. */
  readonly directory: string;
  readonly signal?: AbortSignal | undefined;
}

export interface RemoteTargetAccess {
  readState(): Promise<Result<TargetReading>>;
  /** `git` runs for the person, under the grant of this push. Fails with `conflict`, and changes nothing, if the branch has moved. */
  land(landing: Landing, git: PersonGit, progress: Progress): Promise<Result<undefined>>;
}

export function remoteTarget(context: RemoteTargetContext): RemoteTargetAccess {
  return new RemoteTarget(context);
}

/** The refs that the remote lists, of those that the gate asked for. */
interface Listed {
  readonly refs: ReadonlyMap<string, ObjectId>;
  readonly defaultBranch: string | null;
}

class RemoteTarget implements RemoteTargetAccess {
  readonly #context: RemoteTargetContext;
  #seen: { readonly state: TargetState; readonly objects: RemoteObjects } | null = null;

  constructor(context: RemoteTargetContext) {
    this.#context = context;
  }

  async readState(): Promise<Result<TargetReading>> {
    const listed = await this.#list();
    if (!listed.ok) return listed;
    const { refs, defaultBranch } = listed.value;
    const branch = this.#context.branch ?? defaultBranch;
    if (branch === null)
      return fail("invalid_args", `branch: ${this.#context.url.text} has no default branch to take.`, {
        hint: "Name a branch.",
      });
    const oldCommit = refs.get(branchRef(branch)) ?? null;
    const baseCommit = oldCommit ?? refs.get("HEAD") ?? null;
    // An empty repository does not tell its format. If it is sha256, it refuses the push, and nothing has changed.
    const format: ObjectFormat = baseCommit?.length === 64 ? "sha256" : "sha1";
    const { git: readingGit } = this.#context;
    const directory = `${this.#context.directory}/${randomUUID()}.git`;
    const made = await this.#run(readingGit, [
      "init",
      "--quiet",
      "--bare",
      "--template=",
      `--object-format=${format}`,
      directory,
    ]);
    if (made.exitCode !== 0) throw new Error(`git init: ${made.stderr.slice(0, 500)}`);
    const objects = new RemoteObjects({
      directory,
      format,
      run: (words, options) => this.#run(readingGit, [`--git-dir=${directory}`, ...words], options),
      reach: (words, options) => this.#reach(readingGit, [`--git-dir=${directory}`, ...words], options),
      url: this.#context.url,
    });
    let baseTree: ObjectId | null = null;
    if (baseCommit !== null) {
      const fetched = await objects.fetchBase(oldCommit === null ? "HEAD" : branchRef(branch), baseCommit);
      if (!fetched.ok) return fetched;
      baseTree = fetched.value;
    }
    const state: TargetState = {
      address: this.#context.url.text,
      format,
      branch,
      defaultBranch,
      oldCommit,
      baseCommit,
      baseTree,
      checkedOut: [],
      ...(oldCommit === null && baseCommit !== null
        ? { newOn: { branch: defaultBranch, commit: baseCommit, along: null } }
        : {}),
    };
    this.#seen = { state, objects };
    return ok({ state, readTree: (id) => objects.readTree(id), readBlobs: (ids) => objects.readBlobs(ids) });
  }

  async land(landing: Landing, git: PersonGit, progress: Progress): Promise<Result<undefined>> {
    const { state, commit, objects } = landing;
    const problem = checkLanding(landing);
    if (problem !== null) throw new Error(problem);
    if (this.#seen === null || this.#seen.state.baseCommit !== state.baseCommit) {
      const reading = await this.readState();
      if (!reading.ok) return reading;
      const { oldCommit, baseCommit } = reading.value.state;
      if (oldCommit === commit) return ok(undefined);
      if (oldCommit !== state.oldCommit || baseCommit !== state.baseCommit) return branchMoved(state, oldCommit);
    }
    const { objects: store } = this.#seen as { objects: RemoteObjects };
    progress(0, objects.length, "objects sent");
    await store.add(
      writePack(objects, objects.length, {
        startHash: () => createHash(state.format),
        deflate: (content) => deflateSync(content),
      }),
    );
    const ref = branchRef(state.branch);
    const pushed = await this.#reach(
      git,
      [
        `--git-dir=${store.directory}`,
        "push",
        "--porcelain",
        "--progress",
        "--no-verify",
        "--no-signed",
        "--no-follow-tags",
        "--recurse-submodules=no",
        // The private repository lacks the blobs that thin deltas would be based on.
        "--no-thin",
        `--force-with-lease=${ref}:${state.oldCommit ?? ""}`,
        "--",
        this.#context.url.text,
        `${commit}:${ref}`,
      ],
      { onProgress: progress, config: [["pack.useSparse", "false"]] },
    );
    const answer = parsePorcelain(new TextDecoder().decode(pushed.stdout), ref);
    if (answer.kind === "landed") return ok(undefined);
    // The connection may have ended after the branch had moved, so the gate asks the remote.
    const listed = await this.#list();
    const now = listed.ok ? (listed.value.refs.get(ref) ?? null) : state.oldCommit;
    if (now === commit) return ok(undefined);
    const hasMoved =
      now !== state.oldCommit || (listed.ok && now === null && headOf(listed.value) !== state.baseCommit);
    if (answer.kind === "moved" || hasMoved) return branchMoved(state, now);
    if (answer.kind === "refused")
      return fail("tool_failed", `${state.address} refused the push to ${state.branch}: ${answer.reason}.`, {
        hint: "Its own rules say so (a protected branch, a hook). Push to another branch, or ask who runs it.",
      });
    return remoteFailure(this.#context.url, pushed, "Pushing to");
  }

  async #list(): Promise<Result<Listed>> {
    const { url, branch } = this.#context;
    const wanted = branch === null ? [] : [branchRef(branch)];
    const asked = await this.#reach(this.#context.git, ["ls-remote", "--symref", "--", url.text, "HEAD", ...wanted]);
    if (asked.exitCode !== 0) return remoteFailure(url, asked, "Looking at");
    const refs = new Map<string, ObjectId>();
    let defaultBranch: string | null = null;
    for (const line of new TextDecoder().decode(asked.stdout).split("\n")) {
      const [value = "", name = ""] = line.split("\t");
      const symbolic = /^ref: refs\/heads\/(.+)$/.exec(value);
      if (symbolic !== null && name === "HEAD") {
        const parsed = parseBranchName(symbolic[1] as string);
        if (parsed.ok) defaultBranch = parsed.value;
      } else if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value)) refs.set(name, value);
    }
    const head = refs.get("HEAD");
    if (defaultBranch !== null && head !== undefined) refs.set(branchRef(defaultBranch), head);
    return ok({ refs, defaultBranch });
  }

  #run(git: PersonGit, words: readonly string[], options: Partial<PersonGitOptions> = {}): ReturnType<PersonGit> {
    const { directory, signal } = this.#context;
    const environment = { GIT_CEILING_DIRECTORIES: parentPath(directory), ...options.environment };
    return git(words, { signal, cwd: directory, ...options, environment });
  }

  /** Runs git with only the transport of this address. */
  #reach(git: PersonGit, words: readonly string[], options: Partial<PersonGitOptions> = {}): ReturnType<PersonGit> {
    const { protocol } = this.#context.url;
    // A proxy would receive requests that are meant for this machine.
    const direct: [string, string][] = protocol === "http" ? [["http.proxy", ""]] : [];
    const environment = { GIT_ALLOW_PROTOCOL: protocol, ...options.environment };
    return this.#run(git, words, { ...options, environment, config: [...direct, ...(options.config ?? [])] });
  }
}

function headOf({ refs }: Listed): ObjectId | null {
  return refs.get("HEAD") ?? null;
}
