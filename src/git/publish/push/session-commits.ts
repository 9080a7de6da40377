// What the git_* tools know of their session: the staged commits, what the workspace is compared with, and the function that writes to the record.

import { fail, ok, type Result } from "../../../shared/result.ts";
import type { Hashes } from "../../../shared/hash.ts";
import type { SessionId } from "../../../shared/session-id.ts";
import type { WorkspacePath } from "../../../workspace/path.ts";
import type { ProjectPull } from "../../draft/project-pull.ts";
import type { PushResult, StagedStore } from "../../staged.ts";
import type { GitTarget, Progress } from "../../target/target.ts";
import type { ComparedBase } from "./compared-base.ts";
import type { ShownConflict } from "./shown-conflict.ts";

export interface SessionCommits {
  readonly session: SessionId;
  readonly staged: StagedStore;
  /** What the workspace is compared with. */
  readonly base: ComparedBase;
  /** What a person has changed in the project since the draft began; null if the workspace is none. */
  readonly inProject?: ChangedInProject | null;
  /** The target of the worker, if it has one. */
  readonly defaultTarget: GitTarget | null;
  /** Where the workspace lies in the repositories that it is pushed to, such as `packages/one`. Absent or "" if it is the whole. */
  readonly below?: string;
  /** Brings what the project has now into the workspace. Null if that is no draft of a project. */
  readonly projectPull: ProjectPull | null;
  /** Whether the agent may change a file of the workspace. */
  readonly mayChange: (path: WorkspacePath) => boolean;
  /** Shows a conflict to the person who has opened the gate. Null if an agent calls: it may push where it may not read. */
  readonly onConflict: ((conflict: ShownConflict) => void) | null;
  readonly progress: Progress;
  readonly hashes: Hashes;
  /** The real path of a repository on this machine, as a target names it. */
  readonly localAddress: (path: string) => string;
  now(): number;
  newId(): string;
  /** Writes to the record what happened to a commit, or what was pulled. */
  note(event: "commit.staged" | "commit.discarded" | "commit.pushed" | "files.pulled", outcome: object): void;
}

export interface ChangedInProject {
  /** The first ones. */
  readonly files: readonly FileInProject[];
  /** All of them. */
  readonly count: number;
}

export interface FileInProject {
  readonly path: string;
  readonly status: "new" | "modified" | "deleted";
}

export function targetOrDefault(
  target: GitTarget | undefined,
  { defaultTarget }: { readonly defaultTarget: GitTarget | null },
): Result<GitTarget> {
  const meant = target ?? defaultTarget;
  if (meant !== null) return ok(meant);
  return fail("invalid_args", "target: is missing, and there is no default.", {
    hint: 'Name one, such as {"type": "local", "path": ".", "branch": "feature"}.',
  });
}

export function notStaged(commitId: string, { staged, session }: SessionCommits): Result<never> {
  const landed = staged.landed(commitId, session)?.result;
  if (landed !== undefined)
    return fail("not_found", `${commitId} is no longer staged: ${describeLanded(landed)}.`, {
      hint: "Stage the files again for another push. What has landed is taken back with git, by a person.",
    });
  return fail("not_found", `There is no staged commit ${JSON.stringify(commitId)} in this session.`, {
    hint: "git_status lists them.",
  });
}

export function describeLanded({ commitSha, branch, target }: PushResult): string {
  return `it has landed as ${commitSha} on ${branch} of ${target}`;
}
