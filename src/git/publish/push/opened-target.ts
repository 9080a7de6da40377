// A target as the git_* tools use it: opened to be looked at while a call is planned, and landed in with the right that a
// granted push has.
// Invariant: opening and looking change nothing. Nothing lands without a LandingRight, and only the grant of a push makes one.

import type { PersonCommand, PersonResult } from "../../../process/start.ts";
import type { Result } from "../../../shared/result.ts";
import type { Author } from "../../identity.ts";
import type { GitWriter } from "../../target/local/git-runner.ts";
import type { GitTarget, Landing, Progress, TargetReading } from "../../target/target.ts";

/** Repositories outside of the call. */
export interface Targets {
  /**
   * On this machine: by the agent's grants, and read by git in a box. On another machine: contacted for the person, once
   * they or a rule said yes; this may ask them, and wait for their answer.
   */
  open(target: GitTarget): Promise<Result<OpenedTarget>>;
}

export interface OpenedTarget {
  /** `paths`: what will be read of it, so that it can be read along. */
  look(paths?: readonly string[]): Promise<Result<TargetReading>>;
  /** A failure where it could not land now: nobody is asked about that. Absent where only landing tells. */
  check?(landing: Landing): Promise<Result<undefined>>;
  /** What a person should know of it afterwards: files of theirs that were left as they are. */
  land(landing: Landing, right: LandingRight, progress: Progress): Promise<Result<readonly string[]>>;
  /** Who commits there, as it is written now: read once for each commit that is built. */
  author(): Author;
}

/** What a push uses to land. The gate makes it from the grant of that push. */
export interface LandingRight {
  /** Git that writes to a repository on this machine, in a box that has the target alone. */
  readonly writer: GitWriter;
  /** A command that runs for the person, outside the box: git's own transports. */
  readonly runForPerson: (command: PersonCommand) => Promise<PersonResult>;
}
