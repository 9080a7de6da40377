// What the walk asks of the machine that it runs on. It comes with the session, so that the walk itself takes nothing of
// node and can run in a browser, whose machine has no programs and no paths.

import type { Rule } from "../policy/rule.ts";
import type { Hashes } from "../shared/hash.ts";

export interface Machine {
  readonly hashes: Hashes;
  /** `prefix`, and eight digits that are new. */
  newId(prefix: string): string;
  /** Where a path really leads, as far as it exists. */
  realPath(path: string): string;
  /** The real path of a program by name or path; null: there is none. */
  readonly findProgram: (name: string) => string | null;
  /** SHA-256 of a regular file's content; null: it has none that can be read. */
  readonly hashFile: (path: string) => string | null;
  /** SECURITY(T40): the files of programs that are denied whatever their arguments, in those trees. */
  deniedProgramFiles(rules: readonly Rule[], trees: readonly string[]): readonly string[];
  /** The system's own paths, which every box shows. */
  baseViewPaths(): readonly string[];
}
