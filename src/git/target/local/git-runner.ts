// How git is run for a target that lies on this machine: in a box, to read by the agent's grants, to write after a yes.

import type { Result } from "../../../shared/result.ts";
import type { Repository } from "../../repository.ts";

export interface GitWritten {
  /** null: it could not be started, or was ended by a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What it says of its end, never nothing. */
export function reasonOf({ exitCode, stderr }: GitWritten): string {
  const said = stderr.trim().replace(/\s*\n\s*/g, "; ");
  if (said !== "") return said;
  return exitCode === null ? "git was ended before it was done" : `git ended with ${exitCode} and said nothing`;
}

export interface GitRunner {
  /** The repository's own configuration is not in force where this git writes: it can name no program. */
  readonly hidesConfiguration?: boolean;
  /** The whole stdout of a git that can only read; one that does not end with 0 is a failure. */
  read(repository: Repository, words: readonly string[], stdin: string): Promise<Result<Uint8Array>>;
  /** No hooks, no configured program, no network. The words may begin with `-C <directory>`. */
  write(
    repository: Repository,
    words: readonly string[],
    stdin: AsyncIterable<Uint8Array> | null,
    environment?: Readonly<Record<string, string>>,
  ): Promise<GitWritten>;
}
