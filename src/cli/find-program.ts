// Finds the program of `exec`: people give a name, and the Exec tool takes an absolute path.

import { resolve } from "node:path";
import { programNamed } from "../process/find-on-path.ts";

/**
 * A bare name is searched for where the boxed program would search. A name with a slash is relative to the directory in which
 * the program will start.
 */
export function findStartedProgram(name: string, startDirectory: string): string | undefined {
  if (name.includes("/")) return name.startsWith("/") ? name : resolve(startDirectory, name);
  return programNamed(name);
}
