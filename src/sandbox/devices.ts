// The device files of a box. A gate that runs as root owns the machine's own, and so does every program in its boxes:
// it could take them away from everybody with `chmod 000 /dev/null`. So root's boxes get device files made for them.

import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { runHelper } from "../process/start.ts";
import { joinPath } from "../shared/path.ts";

export const deviceNames = ["null", "zero", "full", "random", "urandom", "tty"] as const;

const copyPlaces = ["/usr/bin/cp", "/bin/cp", "/run/current-system/sw/bin/cp"];

/** The directory that has them; null: the machine's own serve, because nobody in a box owns them, or no others can be made. */
export function prepareDevices(boxDirectory: string): string | null {
  if (process.getuid?.() !== 0) return null;
  const directory = `${boxDirectory}/devices`;
  if (!existsSync(directory) && !makeDevices(directory)) return null;
  return deviceNames.every((name) => isSameDevice(name, directory)) ? directory : null;
}

/** SECURITY(T13): a program may have changed the modes of the ones that it was given. */
export function healDevices(directory: string): void {
  for (const name of deviceNames) chmodSync(joinPath(directory, name), 0o666);
}

function makeDevices(directory: string): boolean {
  const cp = copyPlaces.find((path) => existsSync(path));
  const draft = `${directory}.${process.pid}.new`;
  if (cp === undefined) return false;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  const { exitCode } = runHelper(cp, ["-R", ...deviceNames.map((name) => `/dev/${name}`), draft]);
  try {
    if (exitCode === 0) renameSync(draft, directory);
  } catch {
    // another gate was faster: those are as good
  }
  rmSync(draft, { recursive: true, force: true });
  return existsSync(directory);
}

function isSameDevice(name: string, directory: string): boolean {
  try {
    const path = joinPath(directory, name);
    const made = lstatSync(path);
    if (!made.isCharacterDevice() || made.rdev !== statSync(`/dev/${name}`).rdev) return false;
    // Where the disk is mounted without devices, they are there and cannot be opened. A tty often cannot, anyway.
    if (name === "null") closeSync(openSync(path, "r"));
    return true;
  } catch {
    return false;
  }
}
