// Where a program lies, by its name in the fixed places, or by its path.

import { statSync } from "node:fs";
import { isAbsolutePath, joinPath } from "../shared/path.ts";
import { baseEnvironment } from "./environment.ts";
import { resolvePath } from "./real-path.ts";

/** Its real path; null where there is none. A relative path is not looked for. */
export function findOnPath(name: string): string | null {
  const found = isAbsolutePath(name) ? name : name.includes("/") || name === "" ? undefined : programNamed(name);
  if (found === undefined) return null;
  const { real, exists } = resolvePath(found);
  return exists ? real : null;
}

/** Under the name by which it is found. */
export function programNamed(name: string, directories: readonly string[] = programDirectories()): string | undefined {
  return directories.map((directory) => joinPath(directory, name)).find((path) => isProgram(path));
}

/** The directories in which programs are looked for, everywhere. */
export function programDirectories(): string[] {
  return (baseEnvironment()["PATH"] as string).split(":");
}

/** What may not be looked at counts as absent: a directory of another user's, as `su` and `sudo -u` leave in PATH. */
export function isProgram(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && (found.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}
