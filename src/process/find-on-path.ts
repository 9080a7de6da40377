// Finds a program by its name in fixed directories, or by its path.

import { statSync } from "node:fs";
import { isAbsolutePath, joinPath } from "../shared/path.ts";
import { baseEnvironment } from "./environment.ts";
import { resolvePath } from "./real-path.ts";

/** The real path; null if there is no such program. A relative path is never found. */
export function findOnPath(name: string): string | null {
  const found = isAbsolutePath(name) ? name : name.includes("/") || name === "" ? undefined : programNamed(name);
  if (found === undefined) return null;
  const { real, exists } = resolvePath(found);
  return exists ? real : null;
}

/** The path by which the program is found, with links unresolved. */
export function programNamed(name: string, directories: readonly string[] = programDirectories()): string | undefined {
  return directories.map((directory) => joinPath(directory, name)).find((path) => isProgram(path));
}

/** The directories in which the gate looks for programs. */
export function programDirectories(): string[] {
  return (baseEnvironment()["PATH"] as string).split(":");
}

/** A path that may not be read counts as absent, such as a directory of another user that `su` or `sudo -u` left in PATH. */
export function isProgram(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && (found.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}
