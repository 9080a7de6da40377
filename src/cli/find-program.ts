// `exec` takes a program as people name it; the Exec tool takes an absolute path. This is the step between.

import { resolve } from "node:path";
import { programNamed } from "../process/find-on-path.ts";

/** A bare name is looked for where the boxed program would look; another one is meant from where it will start. */
export function findStartedProgram(name: string, startDirectory: string): string | undefined {
  if (name.includes("/")) return name.startsWith("/") ? name : resolve(startDirectory, name);
  return programNamed(name);
}
