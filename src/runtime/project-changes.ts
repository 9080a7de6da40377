// What a person has done in the project since a draft began: commits, and changes that they have not committed. It runs before each
// call: git is asked only if the repository has changed, and the files are looked at only now and then.

import { findRepository } from "../git/repository.ts";
import type { FileInProject, ChangedInProject } from "../git/publish/push/session-commits.ts";
import { isHidden } from "../policy/capability.ts";
import { recentLook, rememberLook } from "../sandbox/draft-seen.ts";
import type { DraftRecord } from "../sandbox/draft-directory.ts";
import type { DraftParts } from "../sandbox/sandbox.ts";
import { joinPath } from "../shared/path.ts";
import { newFiles } from "./new-files.ts";
import { type CommitsSince, commitsSince, repositoryStamp } from "./project-state.ts";
import { rulesAround } from "./repository-above.ts";
import type { CallStart } from "./session-workspace.ts";

export interface ProjectChanges extends ChangedInProject {
  /** Null if the person's commit is the same. */
  readonly commits: CommitsSince | null;
}

interface WatchedDraft {
  readonly project: string;
  readonly directory: string;
  readonly parts: DraftParts;
}

const nothing: ChangedInProject = { files: [], count: 0 };

export class ProjectWatch {
  readonly #draft: WatchedDraft;
  /** By the state in which it was looked up. */
  #commits: { readonly stamp: string; readonly since: CommitsSince | null } | null = null;

  constructor(draft: WatchedDraft) {
    this.#draft = draft;
  }

  async since(record: DraftRecord, call: CallStart): Promise<ProjectChanges> {
    const { repository } = findRepository(this.#draft.project);
    const stamp = repository.ok ? repositoryStamp(repository.value) : "";
    const files = record.isLive ? nothing : await this.#files(stamp, call);
    if (!repository.ok || record.head === null || record.stamp === stamp) return { ...files, commits: null };
    if (this.#commits?.stamp !== stamp)
      this.#commits = { stamp, since: await commitsSince(repository.value, record.head, call) };
    return { ...files, commits: this.#commits.since };
  }

  async #files(state: string, call: CallStart): Promise<ChangedInProject> {
    const { capability } = call;
    const { project, directory, parts } = this.#draft;
    const at = Date.now();
    const recent = recentLook<ChangedInProject>(directory, state, at);
    if (recent !== undefined) return recent;
    const compared = await parts.compare(directory, project);
    if (compared === null) return nothing;
    // SECURITY(T48): a name of a hidden file tells of it too.
    const isSeen = (path: string) => !isHidden(capability, joinPath(project, path));
    const changed = compared.changed.filter(({ path }) => isSeen(path));
    const hiddenCount = compared.changed.length - changed.length;
    const startedMs = performance.now();
    const made =
      compared.unknown.length === 0
        ? []
        : await newFiles(project, compared.unknown, isSeen, rulesAround(project, call));
    const tookMs = compared.tookMs + (compared.unknown.length === 0 ? 0 : performance.now() - startedMs);
    const files = [...changed, ...made.map((path): FileInProject => ({ path, status: "new" }))];
    const found: ChangedInProject = {
      files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
      count: compared.changedCount - hiddenCount + made.length,
    };
    rememberLook(directory, { state, at, tookMs, found });
    return found;
  }
}

/** One line for the agent. Null if the project is as it was. */
export function describeBehind({ commits, files, count }: ProjectChanges): string | null {
  const others = count - files.filter(({ path }) => commits?.files.has(path)).length;
  const parts = commits === null ? [] : [describeCommits(commits)];
  if (others > 0) parts.push(counted(others, commits === null ? "changed file" : "other changed file"));
  if (parts.length === 0) return null;
  const where = count === 0 ? "" : "git_status lists the files, and ";
  return `The project has ${parts.join(" and ")} since this draft began; ${where}git_pull {} brings them.`;
}

function describeCommits({ count, isRewritten }: CommitsSince): string {
  if (isRewritten) return "another history";
  return count === 0 ? "another commit checked out" : counted(count, "new commit");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
