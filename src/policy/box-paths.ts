// Paths that are private to each box, writable, as a program inside the box names them.

import { isWithin } from "../shared/path.ts";
import { type Capability, fsGrantFor } from "./capability.ts";

/** Device files that every box has. */
export const boxDevices: readonly string[] = [
  "/dev/null",
  "/dev/zero",
  "/dev/full",
  "/dev/random",
  "/dev/urandom",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr",
  "/dev/fd",
  "/dev/shm",
];

/** HOME of programs in a draft. It lasts as long as the draft, or longer: kept-home.ts of the sandbox layer. */
export const DRAFT_HOME = "/run/sallyport/home";
/** A second git directory, for git that the gate runs in a draft. Programs of an agent never have it. */
export const BESIDE_GIT = "/run/sallyport/git";

const always = [...boxDevices, "/workspace", DRAFT_HOME, "/dev/tty", "/proc/self/fd"];

/** `/tmp` is the box's own unless the machine's is granted. */
export function isBoxPath(path: string, capability: Capability): boolean {
  if (path.split("/").includes("..")) return false;
  if (isWithin(path, "/tmp"))
    return fsGrantFor(capability, "/tmp", "r") === undefined && fsGrantFor(capability, path, "r") === undefined;
  return always.some((root) => isWithin(path, root));
}
