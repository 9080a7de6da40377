// A repository at GitHub as a target, through its API. Landing makes blobs, a tree on top of the base and the commit, and moves the
// branch last.
// Invariant: every id that GitHub returns must be the one that the gate computed; otherwise the gate does not move the branch. It
// never forces a push: GitHub moves a branch only forward, and the gate asks for it only if the branch is where `readState` saw it.

import { toBase64 } from "../../../shared/bytes.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { ObjectHash, ObjectId } from "../../publish/object.ts";
import { branchRef, parseBranchName } from "../../ref-name.ts";
import type { CommitParts } from "../commit-parts.ts";
import { encodedBranch, githubPerson, inTurns, githubMessage, shaOf } from "./github-answer.ts";
import type { GithubApi } from "./github-api.ts";
import { GithubObjects } from "./github-objects.ts";
import { githubTreeRequests, type GithubTreeRequests } from "./github-tree.ts";
import { checkLanding, commitIn } from "../landing.ts";
import {
  branchMoved,
  type Landing,
  type TargetReading,
  type Progress,
  type TargetAccess,
  type TargetState,
} from "../target.ts";
import type { GithubRepo } from "../url.ts";

export interface GithubTargetContext {
  readonly repo: GithubRepo;
  /** Null for the default branch of the repository. */
  readonly branch: string | null;
  readonly api: GithubApi;
  /** Always sha1: GitHub has no other format. */
  readonly hash: ObjectHash;
}

const KEEP_TRYING = "Nothing has changed on the branch.";

export function githubTarget(context: GithubTargetContext): TargetAccess {
  return new GithubTarget(context);
}

/** The address that people open in a browser, and that rules and questions name. */
export function githubAddress(repo: GithubRepo, baseUrl: string): string {
  const { host, protocol, pathname } = new URL(baseUrl);
  if (host === "api.github.com") return `https://github.com/${repo.text}`;
  return `${protocol}//${host}${pathname.replace(/\/(?:api\/v3\/?)?$/, "")}/${repo.text}`;
}

class GithubTarget implements TargetAccess {
  readonly #context: GithubTargetContext;
  readonly #path: string;

  constructor(context: GithubTargetContext) {
    this.#context = context;
    this.#path = `/repos/${context.repo.owner}/${context.repo.name}`;
  }

  async readState(): Promise<Result<TargetReading>> {
    const { repo, api } = this.#context;
    const found = await api.request("GET", this.#path);
    if (!found.ok) return found;
    if (found.value.status !== 200)
      return fail(
        "not_found",
        `there is no repository ${repo.text} at ${api.baseUrl}, or none that the token may see.`,
        {
          hint: "Check owner and name, and what the token is good for.",
        },
      );
    const { full_name: name, default_branch: main } = found.value.body;
    if (typeof name === "string" && name.toLowerCase() !== repo.text.toLowerCase())
      return fail("tool_failed", `${repo.text} is called ${JSON.stringify(name.slice(0, 200))} now.`, {
        hint: "Use that name.",
      });
    const parsed = parseBranchName(typeof main === "string" ? main : "");
    const defaultBranch = parsed.ok ? parsed.value : null;
    const branch = this.#context.branch ?? defaultBranch;
    if (branch === null)
      return fail("invalid_args", `branch: ${repo.text} has no default branch to take.`, { hint: "Name a branch." });
    const old = await this.#branchCommit(branch);
    if (!old.ok) return old;
    let baseCommit = old.value;
    if (baseCommit === null && defaultBranch !== null && defaultBranch !== branch) {
      const base = await this.#branchCommit(defaultBranch);
      if (!base.ok) return base;
      baseCommit = base.value;
    }
    let baseTree: ObjectId | null = null;
    if (baseCommit !== null) {
      const commit = await api.request("GET", `${this.#path}/git/commits/${baseCommit}`);
      if (!commit.ok) return commit;
      baseTree = shaOf(commit.value.body["tree"]);
    }
    const state: TargetState = {
      address: githubAddress(repo, api.baseUrl),
      format: "sha1",
      branch,
      defaultBranch,
      oldCommit: old.value,
      baseCommit,
      baseTree,
      checkedOut: [],
      ...(old.value === null && baseCommit !== null
        ? { newOn: { branch: defaultBranch, commit: baseCommit, along: null } }
        : {}),
    };
    const base = baseCommit === null || baseTree === null ? null : { commit: baseCommit, tree: baseTree };
    const objects = new GithubObjects({ path: this.#path, api, hash: this.#context.hash, base });
    return ok({
      state,
      readTree: (id) => objects.readTree(id),
      readBlobs: (ids, progress) => objects.readBlobs(ids, progress),
      measureBlobs: (ids) => objects.measureBlobs(ids),
    });
  }

  async land(landing: Landing, progress: Progress): Promise<Result<undefined>> {
    const { state, commit } = landing;
    const problem = checkLanding(landing);
    if (problem !== null) throw new Error(problem);
    const before = await this.#isStill(state, commit);
    if (before !== "as it was") return before;
    const requests = landing.steps.map(({ changes }) => githubTreeRequests(changes));
    const blobs = new Map(requests.flatMap((each) => each.blobs.map((blob) => [blob.id, blob])));
    const total = requests.reduce((sum, { trees }) => sum + trees.length + 1, blobs.size + 1);
    let done = 0;
    const step = (): void => progress((done += 1), total, "requests to GitHub");
    progress(0, total, "requests to GitHub");
    const refused = await inTurns([...blobs.values()], async ({ id, content }) => {
      const made = await this.#make("blobs", { content: toBase64(content), encoding: "base64" }, id);
      step();
      return made;
    });
    if (refused !== null) return refused;
    let tree = state.baseTree;
    for (const [index, { commit: id }] of landing.steps.entries()) {
      const parts = commitIn(landing, id);
      if (parts === null) throw new Error("a landing must hold its own commits");
      const made = await this.#makeCommit(id, parts, tree, requests[index]?.trees ?? [], step);
      if (!made.ok) return made;
      tree = parts.tree;
    }
    const again = await this.#isStill(state, commit);
    if (again !== "as it was") return again;
    const moved = await this.#move(state, commit);
    if (moved.ok) step();
    return moved;
  }

  /** `base`: the tree of the commit before. */
  async #makeCommit(
    commit: ObjectId,
    { tree: wanted, message, parents, author, committer }: CommitParts,
    base: ObjectId | null,
    trees: GithubTreeRequests["trees"],
    step: () => void,
  ): Promise<Result<undefined>> {
    let tree = base;
    for (const [index, entries] of trees.entries()) {
      const expected = index === trees.length - 1 ? wanted : null;
      const made = await this.#make(
        "trees",
        { ...(tree === null ? {} : { base_tree: tree }), tree: entries },
        expected,
      );
      if (!made.ok) return made;
      tree = made.value;
      step();
    }
    if (tree !== wanted) return this.#differs("trees", wanted, tree);
    const body = { message, tree, parents, author: githubPerson(author), committer: githubPerson(committer) };
    const made = await this.#make("commits", body, commit);
    if (!made.ok) return made;
    step();
    return ok(undefined);
  }

  async #move(state: TargetState, commit: ObjectId): Promise<Result<undefined>> {
    const { api } = this.#context;
    const moved =
      state.oldCommit === null
        ? await api.request("POST", `${this.#path}/git/refs`, { ref: branchRef(state.branch), sha: commit })
        : await api.request("PATCH", `${this.#path}/git/refs/heads/${encodedBranch(state.branch)}`, {
            sha: commit,
            force: false,
          });
    if (moved.ok && (moved.value.status === 200 || moved.value.status === 201)) return ok(undefined);
    // The answer may have been lost, so the gate reads the branch itself.
    const now = await this.#branchCommit(state.branch);
    if (now.ok && now.value === commit) return ok(undefined);
    if (!moved.ok) return moved;
    if (now.ok && now.value !== state.oldCommit) return branchMoved(state, now.value);
    return fail(
      "tool_failed",
      `GitHub refused to move ${state.branch} of ${state.address}${githubMessage(moved.value)}.`,
      {
        hint: `A protected branch, perhaps: push to another one. ${KEEP_TRYING}`,
      },
    );
  }

  async #isStill(state: TargetState, commit: ObjectId): Promise<Result<undefined> | "as it was"> {
    const now = await this.#branchCommit(state.branch);
    if (!now.ok) return now;
    // An earlier push landed, and its answer was lost.
    if (now.value === commit) return ok(undefined);
    return now.value === state.oldCommit ? "as it was" : branchMoved(state, now.value);
  }

  /** Null if there is no such branch, or the repository is empty. */
  async #branchCommit(branch: string): Promise<Result<ObjectId | null>> {
    const found = await this.#context.api.request("GET", `${this.#path}/git/ref/heads/${encodedBranch(branch)}`);
    if (!found.ok) return found;
    const { status, body } = found.value;
    if (status === 404 || status === 409) return ok(null);
    // GitHub's API used to return every branch that begins with the requested name.
    if (status !== 200 || body["ref"] !== branchRef(branch))
      throw new Error(`GitHub answered ${status} about a branch`);
    return ok(shaOf(body["object"]));
  }

  async #make(kind: "blobs" | "trees" | "commits", body: object, expected: ObjectId | null): Promise<Result<ObjectId>> {
    const made = await this.#context.api.request("POST", `${this.#path}/git/${kind}`, body);
    if (!made.ok) return made;
    if (made.value.status === 409 && /empty/i.test(githubMessage(made.value)))
      return fail("tool_failed", `${this.#context.repo.text} is empty, and GitHub's API makes no first commit.`, {
        hint: "Push it as a remote, over https or ssh, or give the repository a first file.",
      });
    if (made.value.status !== 201)
      return fail(
        "tool_failed",
        `GitHub did not take one of the ${kind}: ${made.value.status}${githubMessage(made.value)}.`,
        {
          hint: KEEP_TRYING,
        },
      );
    const id = shaOf(made.value.body);
    return expected !== null && id !== expected ? this.#differs(kind, expected, id) : ok(id);
  }

  // This fails and does not throw, because it is no bug in the gate. GitHub writes a commit differently if it does not know a part.
  #differs(kind: string, expected: ObjectId, found: ObjectId | null): ReturnType<typeof fail> {
    return fail("tool_failed", `GitHub made something else of one of the ${kind}: ${found} instead of ${expected}.`, {
      hint: `${KEEP_TRYING} What lands must be what was approved; push it as a remote, over https or ssh.`,
    });
  }
}
