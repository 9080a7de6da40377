// A target as the git_* tools use it. A tool opens and reads it while the gate plans a call, and lands in it with the right that a
// granted push gives.
// Invariant: opening and reading change nothing. Nothing lands without a LandingRight, and only the grant of a push makes one.

import type { PersonCommand, PersonResult } from "../../../process/start.ts";
import type { Result } from "../../../shared/result.ts";
import type { Author } from "../../identity.ts";
import type { GitWriter } from "../../target/local/git-runner.ts";
import type { GitTarget, Landing, Progress, TargetReading } from "../../target/target.ts";

/** The repositories that pushes and pulls use. */
export interface Targets {
  /**
   * A repository on this machine must be covered by the agent's grants, and git reads it in a box. A repository on another machine
   * is contacted for the person, once they or a rule said yes. So this may ask the person and wait for their answer.
   */
  open(target: GitTarget): Promise<Result<OpenedTarget>>;
}

export interface OpenedTarget {
  /** `paths`: the paths that the caller will read, so that the target can read them in the same step. */
  readState(paths?: readonly string[]): Promise<Result<TargetReading>>;
  /** Fails if the commit could not land now, so that the gate does not ask a person in vain. Absent if only landing can tell. */
  check?(landing: Landing): Promise<Result<undefined>>;
  /** Returns what a person should know afterwards, such as files of theirs that the landing left unchanged. */
  land(landing: Landing, right: LandingRight, progress: Progress): Promise<Result<readonly string[]>>;
  /** The author of commits there, from the current settings. Read once for each commit that is built. */
  author(): Author;
}

/** What a push uses to land. The gate makes it from the grant of the push. */
export interface LandingRight {
  /** Git that writes to a repository on this machine, in a box that contains only the target. */
  readonly writer: GitWriter;
  /** Runs a command for the person outside the box: git with its own transports. */
  readonly runForPerson: (command: PersonCommand) => Promise<PersonResult>;
}
