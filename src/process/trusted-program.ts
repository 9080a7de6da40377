// Checks programs of the system that the gate itself relies on: from fixed paths, and only if nobody else can change them.

import { lstatSync, type Stats } from "node:fs";
import { resolvePath } from "./real-path.ts";

/** An executable file that belongs to root or the gate's user, and that others cannot write. */
export function isTrustedProgram(path: string): boolean {
  return distrustOf(path) === null;
}

/** What is wrong with the program; "absent" if there is none that could be started; null if it is trusted. */
function distrustOf(path: string): BadProgram | "absent" | null {
  const found = statOf(path);
  if (found?.isFile() !== true || (found.mode & 0o111) === 0) return "absent";
  if (found.uid !== 0 && found.uid !== process.getuid?.()) {
    return {
      message: `${path} is there, but belongs to user ${found.uid}, neither root nor whoever runs this`,
      mend: `run this where root's files are root's: in a user namespace (a container without root, unshare) user 0 must be mapped. Else: sudo chown root ${path}`,
    };
  }
  if ((found.mode & 0o022) !== 0)
    return { message: `${path} is there, but others may change it`, mend: `sudo chmod go-w ${path}` };
  return null;
}

export interface BadProgram {
  readonly message: string;
  readonly mend: string;
}

/** Why none of the paths has the program: one is not trusted, or otherwise that it is not installed. */
export function missingProgram(name: string, paths: readonly string[], packageName: string): BadProgram {
  const bad = paths.map(distrustOf).find((one) => one !== null && one !== "absent");
  if (bad !== undefined) return bad;
  return { message: `${name} is not installed`, mend: `sudo apt-get install -y ${packageName}` };
}

/** A path that may not be read counts as absent. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(resolvePath(path).real, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
