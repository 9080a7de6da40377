// How git is run for a target that lies on this machine: to read, in the box; to write, for the person after their yes.

import type { Result } from "../../shared/result.ts";
import type { Repository } from "../repository.ts";

export interface GitWritten {
  /** null: it could not be started, or was ended by a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface GitRunner {
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
