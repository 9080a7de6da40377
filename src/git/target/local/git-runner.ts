// How the gate runs git for a target on this machine. Its own reads run in a box, by the agent's grants. A git that writes is made
// from the grant of a push, so that nothing can be written before a push was granted.

import type { Result } from "../../../shared/result.ts";
import type { Repository } from "../../repository.ts";

export interface GitWritten {
  /** Null if git could not be started, or was ended by a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Why git ended, as text that is never empty. */
export function reasonOf({ exitCode, stderr }: GitWritten): string {
  const message = stderr.trim().replace(/\s*\n\s*/g, "; ");
  if (message !== "") return message;
  return exitCode === null ? "git was ended before it was done" : `git ended with ${exitCode} and said nothing`;
}

export interface GitReader {
  /** The complete stdout of a git that can only read. Fails if git does not end with 0. */
  read(repository: Repository, words: readonly string[], stdin: string): Promise<Result<Uint8Array>>;
}

export interface GitWriter {
  /** Whether the repository's own configuration is hidden from this git, so that it can name no program. */
  readonly hidesConfiguration?: boolean;
  /** No hooks, no configured program, no network. The words may begin with `-C <directory>`. */
  write(
    repository: Repository,
    words: readonly string[],
    stdin: AsyncIterable<Uint8Array> | null,
    environment?: Readonly<Record<string, string>>,
  ): Promise<GitWritten>;
}
