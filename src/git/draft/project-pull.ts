// What git_pull asks of a draft: to bring in what its project has now.

import type { Result } from "../../shared/result.ts";
import type { ObjectId } from "../publish/object.ts";

export interface ProjectPull {
  /** The real path. */
  readonly project: string;
  /** `forget` gets the paths that the person has changed, before anything in the draft changes. */
  readonly run: (forget: (paths: readonly string[]) => void) => Promise<Result<PulledProject>>;
}

export interface PulledProject {
  /** The person's commit; the first commit of the session if there is none. */
  readonly commit: ObjectId;
  /** Paths that the person has changed since the draft began, or since the last pull. */
  readonly changed: readonly string[];
  /** How many commits of the session are on the person's now, and how many have become empty. */
  readonly rebased: number;
  readonly dropped: number;
}
