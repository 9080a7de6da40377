// How git is run for a target on this machine: the gate's own reads run in a box, by the agent's grants; a git that writes is
// made from the grant of a push, so that nothing can be written before a push was granted.

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

export interface GitReader {
  /** The whole stdout of a git that can only read; one that does not end with 0 is a failure. */
  read(repository: Repository, words: readonly string[], stdin: string): Promise<Result<Uint8Array>>;
}

export interface GitWriter {
  /** The repository's own configuration is not in force where this git writes: it can name no program. */
  readonly hidesConfiguration?: boolean;
  /** No hooks, no configured program, no network. The words may begin with `-C <directory>`. */
  write(
    repository: Repository,
    words: readonly string[],
    stdin: AsyncIterable<Uint8Array> | null,
    environment?: Readonly<Record<string, string>>,
  ): Promise<GitWritten>;
}
