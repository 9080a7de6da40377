// PATH of a box in which an agent's commands run, and what a program's name means there.
// Invariant: what is judged is what runs. The gate looks for a program in the directories that PATH of the box has, in their order, and
// takes only what the box shows. No directory that the agent can change is among them.

import { type Capability, fsGrantFor } from "../policy/capability.ts";
import { isAbsolutePath, isWithin, joinPath, parentPath } from "../shared/path.ts";
import { isProgram, programDirectories } from "./find-on-path.ts";
import { resolvePath } from "./real-path.ts";

interface AgentPlaces {
  readonly capability: Capability;
  /** Whether the path is a file or directory of the agent's workspace. */
  readonly isOwn: (path: string) => boolean;
}

export interface BoxPathContext extends AgentPlaces {
  /** The person's own directories of programs, by their real paths. */
  readonly person: readonly string[];
}

/** The person's directories that are granted, in their order, then the fixed ones. */
export function boxDirectories({ person, capability, isOwn }: BoxPathContext): string[] {
  const usable = person.filter((directory) => isReadOnly(directory, capability) && !isOwn(directory));
  return [...new Set([...usable, ...programDirectories()])];
}

/** SECURITY(T47): an agent that can write to a directory of PATH could put a program there that has the name of a known one. */
function isReadOnly(directory: string, capability: Capability): boolean {
  if (isWithin(directory, "/workspace") || directory === "/tmp") return false;
  if (fsGrantFor(capability, directory, "r")?.mode !== "r") return false;
  // A directory inside an `rw` grant could be moved away with the directories above it, and another put in its place.
  return !capability.fsGrants.some(
    ({ path, mode }) => mode === "rw" && (isWithin(path, directory) || isWithin(directory, path)),
  );
}

/** Whether PATH, as a call sets it, has only directories that the agent cannot change. */
export function isFixedPath(directories: readonly string[], { capability, isOwn }: AgentPlaces): boolean {
  const fixed = programDirectories();
  return directories.every((directory) => {
    if (fixed.includes(directory)) return true;
    if (!isAbsolutePath(directory)) return false;
    const { real } = resolvePath(directory);
    return isReadOnly(real, capability) && !isOwn(real);
  });
}

/**
 * The path, with links unresolved, by which the box finds the program. If the box shows none of that name, the first one that exists in the
 * fixed directories, so that it can be judged.
 */
export function boxProgram(name: string, directories: readonly string[], capability: Capability): string | undefined {
  if (name === "" || name.includes("/")) return undefined;
  const paths = directories.map((directory) => joinPath(directory, name)).filter(isProgram);
  const fixed = programDirectories();
  return paths.find((path) => isSeen(path, capability)) ?? paths.find((path) => fixed.includes(parentPath(path)));
}

/** The real path of a program in the box, by its name or its path; null if there is none. A relative path is never found. */
export function findBoxProgram(name: string, directories: readonly string[], capability: Capability): string | null {
  const found = isAbsolutePath(name) ? name : boxProgram(name, directories, capability);
  if (found === undefined) return null;
  const { real, exists } = resolvePath(found);
  return exists ? real : null;
}

/** Whether the box shows the program and every link on the way to it. */
function isSeen(path: string, capability: Capability): boolean {
  const { real, links } = resolvePath(path);
  return [real, ...links.map((link) => link.path)].every(
    (step) => isBaseLink(step) || fsGrantFor(capability, step, "r") !== undefined,
  );
}

/** Links that every box has: `/bin`, and the alternatives of the system. */
function isBaseLink(path: string): boolean {
  return parentPath(path) === "/" || isWithin(path, "/etc/alternatives");
}
