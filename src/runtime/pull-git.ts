// The gits of a pull into a draft. Each runs in a box, by the rules alone, and answers are checked.
//
//   own      the session's git directory and configuration: its refs, and what is staged only, where a filter of the session may run
//   index    `outside`, with the index of the session: to write an index, git may read files, and would run filters
//   taking   the same, and it can read the new start's git directory
//   outside  a git directory of the gate, with the draft's files as its work tree
//   apart    the new start, with its own files
//
// Invariant: of what an agent could write, `outside` and `apart` use files and objects only. Configuration, index, attributes, exclusions
// and hooks are the gate's. No program of the session can write to the git directory of the new start.

import { brokenAnswer, nulParts, textOrNull } from "../git/draft/draft-git.ts";
import type { Repository } from "../git/repository.ts";
import { draftGitProblem } from "../git/target/local/git-directory-check.ts";
import { BESIDE_GIT } from "../policy/box-paths.ts";
import { type BoxWorkspace, draftInBox, type DraftPlace } from "../sandbox/box-workspace.ts";
import { writeGitDirectory } from "../sandbox/draft-directory.ts";
import { ok, type Result } from "../shared/result.ts";
import { repositoryInside } from "./draft-git.ts";
import type { CallStart, RunGit } from "./session-workspace.ts";

/** In the new start's git directory: HEAD and the index for the draft's files. */
const VIEW = "view";
const BUNDLE = `${BESIDE_GIT}/bundle`;

// A directory that one side renamed takes the other side's new files along.
const settings = ["merge.directoryRenames=true", "core.fileMode=true", "core.symlinks=true", "core.ignoreCase=false"];
const options = settings.flatMap((one) => ["-c", one]);

export interface PullGit {
  readonly own: RunGit;
  readonly index: RunGit;
  readonly taking: RunGit;
  readonly outside: RunGit;
  readonly apart: RunGit;
}

/** Prepares the new start for `pullGit`. */
export function linkObjects(start: string, project: string, base: string): void {
  writeGitDirectory(start, {
    [`${VIEW}/HEAD`]: `${base}\n`,
    // In each of the two boxes, one of these is the git directory itself, which git passes over.
    "objects/info/alternates": `${project}/.git/objects\n${BESIDE_GIT}/objects\n`,
  });
}

/** `start`: the directory of the new start. */
export function pullGit({ project, directory }: DraftPlace, start: string, call: CallStart): PullGit {
  const place = { project, directory };
  const fresh = draftInBox({ project, directory: start }, { directory, isWritable: false });
  const inside = repositoryInside(project);
  // SECURITY(T48): nothing that the agent wrote beside its files and objects decides what git does with them.
  const view: Repository = { ...inside, gitDirectory: `${BESIDE_GIT}/${VIEW}`, commonDirectory: BESIDE_GIT };
  const running =
    (box: BoxWorkspace, repository: Repository): RunGit =>
    (words, stdin = "") =>
      call.runInside(box, { repository, words: [...options, ...words], stdin });
  const outside = draftInBox(place, { directory: start, isWritable: true });
  return {
    // SECURITY(T48): these two use the session's configuration, which may name programs, so neither can change the gate's git directory.
    own: running(draftInBox(place), inside),
    taking: running(draftInBox(place, { directory: start, isWritable: false }), inside),
    outside: running(outside, view),
    index: running(outside, { ...view, indexFile: `${inside.gitDirectory}/index` }),
    apart: running(fresh, inside),
  };
}

/** A program of the agent may have put a pipe there, on which git would wait until its time is up. */
export function strangeGit({ project, directory }: DraftPlace): Result<never> | null {
  return draftGitProblem(`${directory}/git`, repositoryInside(project).gitDirectory);
}

/** Gives the session's git the objects of a commit of the new start. `known`: a commit that it has. */
export async function giveObjects(
  git: PullGit,
  start: string,
  known: string,
  commit: string,
): Promise<Result<undefined>> {
  const missing = await readIds(git.outside(["rev-list", "-n", "1", commit, `^${known}`]));
  if (!missing.ok) return missing;
  if (missing.value.length === 0) return ok(undefined); // the person went back to an older commit
  writeGitDirectory(start, { [`${VIEW}/HEAD`]: `${commit}\n` }); // git bundles what a ref names
  const bundled = await git.outside(["bundle", "create", "--quiet", BUNDLE, "HEAD", `^${known}`]);
  if (!bundled.ok) return bundled;
  const given = await git.taking(["bundle", "unbundle", BUNDLE]);
  return given.ok ? ok(undefined) : given;
}

/** What git says, as ids with a blank between them, one line each. */
export async function readIds(output: Promise<Result<Uint8Array>>): Promise<Result<string[][]>> {
  const said = await output;
  if (!said.ok) return said;
  const text = textOrNull(said.value) ?? "?";
  const lines = text.split("\n").slice(0, -1);
  const isRight =
    text === "" || (text.endsWith("\n") && lines.every((line) => /^[0-9a-f]{40,64}( [0-9a-f]{40,64})*$/.test(line)));
  return isRight ? ok(lines.map((line) => line.split(" "))) : brokenAnswer("an id is none");
}

export async function readId(output: Promise<Result<Uint8Array>>): Promise<Result<string>> {
  const ids = await readIds(output);
  if (!ids.ok) return ids;
  const id = ids.value[0]?.[0];
  return id === undefined ? brokenAnswer("an id is missing") : ok(id);
}

/** Parts that end with NUL. Those that are not UTF-8 are left out. */
export async function readNames(output: Promise<Result<Uint8Array>>): Promise<Result<string[]>> {
  const said = await output;
  if (!said.ok) return said;
  const parts = nulParts(said.value);
  if (parts === null) return brokenAnswer("a list is cut off");
  return ok(parts.flatMap((part) => textOrNull(part) ?? []));
}

/** Paths that differ between two commits. */
export function changedPaths(git: RunGit, from: string, to: string, filter: string[] = []): Promise<Result<string[]>> {
  return readNames(git(["diff-tree", "-r", "-z", "--no-renames", "--name-only", ...filter, from, to]));
}
