// A git case on the bench: a call through the gate; the same words as plain git, which is what controls run; and plain git
// in the box, with none of our flags and the repository's own configuration, which shows that the box alone holds.

import { strict as assert } from "node:assert";
import { fileURLToPath } from "node:url";
import type { Reply } from "../../src/index.ts";
import { type GitResult, pictureOf } from "../fixtures/git.ts";
import { bare, ended, type Ended } from "./bare.ts";
import { assertNoMarker, configOf, type Grants, ran } from "./bench.ts";
import type { World } from "./world.ts";

export interface GitArgs {
  readonly op: string;
  readonly repo: string;
  readonly args?: readonly string[];
  readonly ref?: string;
  readonly path?: string;
}

export function gitGrants({ root, repo }: World): Grants {
  const paths = ["/usr/bin/git", repo].map((path) => ({ path, mode: "r" as const }));
  return { tools: ["Git"], paths: [...paths, { path: root, mode: "rw" }] };
}

/** All programs too, and the helpers that the hostile repository names: nothing but us keeps them from being started. */
export function wideGrants({ repo, out }: World, hidesHelpers = false): Grants {
  const paths = ["/usr", repo, ...(hidesHelpers ? [] : [out])].map((path) => ({ path, mode: "r" as const }));
  return { tools: ["Exec", "Git"], paths };
}

/** What a helper that was started in a box says of the marker, which is in no grant. */
export function wasStarted({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): boolean {
  return /cannot touch|Read-only file system/.test(stdout + stderr);
}

/** The call as a person would type it after `git`. Written down here once more, and not taken from what is tested. */
export function plainWords({ op, args = [], ref, path }: GitArgs): string[] {
  const forms: Record<string, readonly string[]> = {
    status: ["status", "--porcelain"],
    branch: ["branch", "-a", "--no-color"],
    ls_files: ["ls-files"],
    rev_parse: ["rev-parse", "--short", "HEAD"],
  };
  return [
    ...(forms[op] ?? [op]),
    ...args,
    ...(ref === undefined ? [] : [ref]),
    ...(path === undefined ? [] : ["--", path]),
  ];
}

export const plainEnvironment = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", LC_ALL: "C.UTF-8", TZ: "UTC" };

/** Nothing of ours around it. What it starts carries the world's directory in its environment, so that it is found again. */
export function runPlain(world: World, args: GitArgs, environment: Record<string, string> = {}): Promise<Ended> {
  return ended(
    bare(["/usr/bin/git", "-C", args.repo, ...plainWords(args)], {
      cwd: world.root,
      env: { ...plainEnvironment, CORPUS_WORLD: world.directory, ...environment },
    }),
  );
}

/** Runs the work, and sees that it changed no content, mode, owner or time of anything in the world: no index, no marker. */
export async function unchanged<T>(world: World, work: () => Promise<T>): Promise<T> {
  const before = pictureOf(world.directory);
  const result = await work();
  assertNoMarker(world);
  const now = pictureOf(world.directory);
  const [was, is] = [new Set(before), new Set(now)];
  const differences = [before.filter((line) => !is.has(line)), now.filter((line) => !was.has(line))];
  assert.deepEqual(differences, [[], []], "the call changed something");
  return result;
}

/** Git ran, in a box that the kernel holds; how it ended is for the case to look at. */
export function gitRan(reply: Reply): GitResult {
  return ran(reply) as GitResult;
}

const gateProcess = fileURLToPath(new URL("../fixtures/git-process.ts", import.meta.url));

/** The call through a gate in a process that was started with these variables. */
export async function callFrom(world: World, environment: Record<string, string>, args: unknown): Promise<Reply> {
  const order = { statePath: world.state, project: world.root, configText: configOf(wideGrants(world)), args };
  const started = bare([process.execPath, gateProcess, JSON.stringify(order)], {
    env: { ...process.env, ...environment },
  });
  const { stdout, stderr } = await ended(started);
  assert.notEqual(stdout, "", `the gate said nothing: ${stderr}`);
  return (JSON.parse(stdout) as { reply: Reply }).reply;
}
