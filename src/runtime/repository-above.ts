// A project below the root of its repository, such as a package of a monorepo: which repository that is, and what its rules ignore in
// the project.
// Invariant: nothing of a repository counts that the agent's grants do not show.

import { lstatSync } from "node:fs";
import { findRepository, type Repository } from "../git/repository.ts";
import { type Capability, fsGrantFor } from "../policy/capability.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { latin1Text } from "../shared/bytes.ts";
import { limits } from "../shared/limits.ts";
import { ancestorsOf, joinPath } from "../shared/path.ts";
import { ignoreRulesBelow } from "../workspace/ignore-rules-below.ts";

export interface RepositoryAbove {
  readonly repository: Repository;
  readonly root: string;
  /** Where the project lies in the repository, such as `packages/one`. */
  readonly below: string;
}

/** Null if the project is a repository itself, lies in none, or the agent may not see the root of the one it lies in. */
export function repositoryAbove(project: string, capability: Capability): RepositoryAbove | null {
  const root = ["/", ...ancestorsOf(project)].findLast((path) => isThere(joinPath(path, ".git")));
  if (root === undefined || root === project) return null;
  const { repository, directories } = findRepository(root);
  const isShown = directories.every((path) => fsGrantFor(capability, path, "r") !== undefined);
  if (!isShown || !repository.ok || repository.value.workTree !== root) return null;
  return { repository: repository.value, root, below: project.slice(root === "/" ? 1 : root.length + 1) };
}

interface RulesContext {
  readonly capability: Capability;
  /** What the person ignores in all repositories. */
  readonly personIgnores: () => string;
}

/**
 * What the person's and the repository's own rules, and `.gitignore` files above the project, ignore in the project, as lines for its `info/exclude`. One
 * character for each byte.
 */
export function rulesAround(project: string, { capability, personIgnores }: RulesContext): string {
  // The rules that count least come first.
  return personIgnores() + rulesOfRepository(project, capability);
}

function rulesOfRepository(project: string, capability: Capability): string {
  const above = repositoryAbove(project, capability);
  if (above !== null) return rulesAbove(above, capability);
  const { repository } = findRepository(project);
  if (!repository.ok || repository.value.workTree !== project) return "";
  const path = joinPath(repository.value.commonDirectory, "info/exclude");
  return fsGrantFor(capability, path, "r") === undefined ? "" : textAt(path);
}

function rulesAbove({ repository, root, below }: RepositoryAbove, capability: Capability): string {
  const names = below.split("/");
  const places = names.map((_, index) => ({
    directory: [root, ...names.slice(0, index)].join("/"),
    inside: names.slice(index),
  }));
  const files = [
    { path: joinPath(repository.commonDirectory, "info/exclude"), inside: names },
    ...places.map(({ directory, inside }) => ({ path: joinPath(directory, ".gitignore"), inside })),
  ];
  const rules = files
    .filter(({ path }) => fsGrantFor(capability, path, "r") !== undefined)
    .map(({ path, inside }) => ignoreRulesBelow(textAt(path), inside.map(bytesAsText)))
    .join("");
  // What is beyond is not ignored, as in a workspace.
  return rules.length > limits.ignoreTotalBytes ? "" : rules;
}

function bytesAsText(name: string): string {
  return latin1Text(new TextEncoder().encode(name));
}

function textAt(path: string): string {
  const bytes = readPlainFile(path, limits.ignoreFileBytes);
  return bytes === null ? "" : latin1Text(bytes);
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // the gate may not look into the directory
  }
}
