// What the walk needs from the machine. It is a field of the session, so that the walk does not import node and can run in a browser,
// which has no programs and no paths.

import type { RepositorySearch } from "../git/repository.ts";
import type { Broker } from "../network/broker.ts";
import type { Capability } from "../policy/capability.ts";
import type { Rule } from "../policy/rule.ts";
import type { Hashes } from "../shared/hash.ts";
import type { RunningBox } from "../store/running-boxes.ts";
import type { DiskPaths, ProgramSearch } from "../tools/tool.ts";
import type { NetworkOptions } from "./open-network.ts";

export interface Machine {
  readonly hashes: Hashes;
  /** Returns `prefix` and eight random hexadecimal digits. */
  newId(prefix: string): string;
  readonly disk: DiskPaths;
  /** The name of the person, as programs see it. */
  userName(): string;
  /** What the names of programs mean in the agent's boxes. */
  programSearch(context: ProgramSearchContext): ProgramSearch;
  /** The repository with this root, a real path. */
  findRepository(root: string): RepositorySearch;
  /** SHA-256 of a regular file's content. Null if it cannot be read. */
  readonly hashFile: (path: string) => string | null;
  /** SECURITY(T40): the files in those trees of programs that rules deny regardless of their arguments. */
  deniedProgramFiles(rules: readonly Rule[], trees: readonly string[]): readonly string[];
  /** Opens the gate's side of the network of a call that reaches single hosts. The caller closes it. */
  openNetwork(options: NetworkOptions): Promise<Broker>;
  /** Lists a running box that has a network of its own, for the person. Returns what takes it off the list. */
  announceBox(stateDirectory: string, box: RunningBox): () => void;
  /** The system paths that every box shows. */
  baseViewPaths(): readonly string[];
}

export interface ProgramSearchContext {
  /** The directories of the person's PATH, by their real paths. */
  readonly person: readonly string[];
  readonly home: string;
  readonly capability: Capability;
  /** Whether the path is a file or directory of the agent's workspace. */
  readonly isOwn: (path: string) => boolean;
}
