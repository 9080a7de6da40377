// What the walk needs from the machine. It is a field of the session, so that the walk does not import node and can run in a browser,
// which has no programs and no paths.

import type { Rule } from "../policy/rule.ts";
import type { Hashes } from "../shared/hash.ts";

export interface Machine {
  readonly hashes: Hashes;
  /** Returns `prefix` and eight random hexadecimal digits. */
  newId(prefix: string): string;
  /** Resolves the links of a path, as far as the path exists. */
  realPath(path: string): string;
  /** The real path of a program, given its name or path. Null if there is none. */
  readonly findProgram: (name: string) => string | null;
  /** SHA-256 of a regular file's content. Null if it cannot be read. */
  readonly hashFile: (path: string) => string | null;
  /** SECURITY(T40): the files in those trees of programs that rules deny regardless of their arguments. */
  deniedProgramFiles(rules: readonly Rule[], trees: readonly string[]): readonly string[];
  /** The system paths that every box shows. */
  baseViewPaths(): readonly string[];
}
