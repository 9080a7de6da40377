// What the git_* tools need of the gate: what is staged and was pulled, the targets, and who commits.

import type { GitTarget, Landing, Progress, TargetAccess } from "../../git/target/target.ts";
import type { Author } from "../../git/identity.ts";
import type { Hashes } from "../../shared/hash.ts";
import type { Result } from "../../shared/result.ts";
import type { SessionId } from "../../shared/session-id.ts";
import type { StagedStore } from "../../git/staged.ts";
import { fail, ok } from "../../shared/result.ts";

export interface OpenedTarget {
  look: TargetAccess["look"];
  /** A failure where it could not land now: nobody is asked about that. Absent where only landing tells. */
  check?(landing: Landing): Promise<Result<undefined>>;
  /** What a person should know of it afterwards: files of theirs that were left as they are. */
  land(landing: Landing, progress: Progress): Promise<Result<readonly string[]>>;
  /** Who commits there, as it is written now: read once for each commit that is built. */
  author(): Author;
}

export interface GitServices {
  readonly session: SessionId;
  readonly staged: StagedStore;
  /** The grant is checked first, then whether there is such a repository. */
  open(target: GitTarget): Promise<Result<OpenedTarget>>;
  /** The one spelling of a local repository's path: absolute, and real. */
  localPlace(path: string): string;
  readonly hashes: Hashes;
  now(): number;
  newId(): string;
  /** The worker's, if there is one. */
  readonly defaultTarget: GitTarget | null;
  readonly progress: Progress;
  /** Writes down what became of a commit. */
  note(event: "commit.staged" | "commit.discarded" | "commit.pushed" | "files.pulled", outcome: object): void;
}

export function targetOrDefault(target: GitTarget | undefined, git: GitServices): Result<GitTarget> {
  const meant = target ?? git.defaultTarget;
  if (meant !== null) return ok(meant);
  return fail("invalid_args", "target: is missing, and there is no default.", {
    hint: 'Name one, such as {"type": "local", "path": ".", "branch": "feature"}.',
  });
}
