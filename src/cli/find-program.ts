// `exec` takes a program as people name it; the Exec tool takes an absolute path. This is the step between.

import { resolve } from "node:path";
import { baseEnvironment } from "../process/environment.ts";
import { isExecutableFile } from "../sandbox/probe.ts";
import { joinPath } from "../shared/path.ts";

/** A bare name is looked for where the boxed program would look; another one is meant from where it will start. */
export function findProgram(name: string, startDirectory: string): string | undefined {
  if (name.includes("/")) return name.startsWith("/") ? name : resolve(startDirectory, name);
  return searchPath()
    .map((directory) => joinPath(directory, name))
    .find(isExecutableFile);
}

export function searchPath(): string[] {
  return (baseEnvironment()["PATH"] ?? "").split(":");
}
