// Real repositories to land in, git itself as the runner, and landings built from a list of edits.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitArguments, gitEnvironment } from "../../../../src/git/command.ts";
import { encodeCommit } from "../../../../src/git/publish/commit.ts";
import { type GitObject, makeObject, type ObjectFormat, type ObjectHash } from "../../../../src/git/publish/object.ts";
import { buildTree, type FileChange, type FileMode } from "../../../../src/git/publish/tree.ts";
import { findRepository, type Repository } from "../../../../src/git/repository.ts";
import type { GitReader, GitWriter } from "../../../../src/git/target/local/git-runner.ts";
import type { Landed } from "../../../../src/git/target/local/local-land.ts";
import { localTarget } from "../../../../src/git/target/local/local.ts";
import type { Landing, TargetReading } from "../../../../src/git/target/target.ts";
import { ok, type Result } from "../../../../src/shared/result.ts";

export interface Room {
  readonly path: (name: string) => string;
  readonly remove: () => void;
}

export function openRoom(): Room {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-target-")));
  return {
    path: (name) => join(root, name),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** What each git was asked: the subcommands, in order. */
export interface CountingRunner extends GitReader, GitWriter {
  readonly calls: string[];
}

/** `before` may look on, or get in the way, before each git that writes. */
export function plainRunner(before: (words: readonly string[]) => void = () => undefined): CountingRunner {
  const calls: string[] = [];
  return {
    calls,
    async read(repository, words, stdin) {
      calls.push(words[0] as string);
      const { exitCode, stdout, stderr } = await run(repository, words, chunks(stdin), {});
      assert.equal(exitCode, 0, stderr);
      return ok(stdout);
    },
    async write(repository, words, stdin, environment = {}) {
      const own = words[0] === "-C" ? words.slice(2) : words;
      calls.push(own[0] as string);
      before(own);
      const ended = await run(repository, words, stdin, environment);
      return { ...ended, stdout: ended.stdout.toString() };
    },
  };
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function run(
  repository: Repository,
  words: readonly string[],
  stdin: AsyncIterable<Uint8Array> | null,
  environment: Readonly<Record<string, string>>,
): Promise<{ exitCode: number | null; stdout: Buffer; stderr: string }> {
  const [file = "", ...args] = gitArguments({ git: "/usr/bin/git", repository, words, showsOwnConfig: false });
  const child = spawn(file, args, {
    cwd: "/",
    env: {
      HOME: "/nonexistent",
      LC_ALL: "C",
      PATH: "/usr/bin:/bin",
      ...Object.fromEntries(gitEnvironment(repository)),
      ...environment,
    },
  });
  const out: Buffer[] = [];
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on("error", () => undefined);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  for await (const chunk of stdin ?? []) child.stdin.write(chunk);
  child.stdin.end();
  return { exitCode: await ended, stdout: Buffer.concat(out), stderr };
}

export function repositoryAt(path: string): Repository {
  const { repository } = findRepository(path);
  assert.ok(repository.ok, JSON.stringify(repository));
  return repository.value;
}

/** null deletes; an array is a symbolic link; `x:` before the path makes it executable. */
export type Edits = Readonly<Record<string, string | Buffer | null | readonly [target: string]>>;

function nodeHash(format: ObjectFormat): ObjectHash {
  return {
    format,
    digest(parts) {
      const hash = createHash(format);
      for (const part of parts) hash.update(part);
      return hash.digest();
    },
  };
}

export async function look(
  path: string,
  branch: string | null = null,
  git: GitReader = plainRunner(),
  paths: readonly string[] = [],
): Promise<TargetReading> {
  const looked = await localTarget({ repository: repositoryAt(path), branch, git }).readState(paths);
  assert.ok(looked.ok, JSON.stringify(looked));
  return looked.value;
}

/** A commit of these edits on what was seen. */
export async function landingOf(looked: TargetReading, edits: Edits, message = "A landing"): Promise<Landing> {
  const { state } = looked;
  const hash = nodeHash(state.format);
  const blobs = new Map<string, GitObject>();
  const changes: FileChange[] = [];
  for (const [key, content] of Object.entries(edits)) {
    const isExecutable = key.startsWith("x:");
    const path = isExecutable ? key.slice(2) : key;
    if (content === null) {
      changes.push({ path, mode: null });
      continue;
    }
    const isLink = Array.isArray(content);
    const blob = await makeObject(hash, "blob", Buffer.from((isLink ? content[0] : content) as string));
    const mode: FileMode = isLink ? "120000" : isExecutable ? "100755" : "100644";
    blobs.set(blob.id, blob);
    changes.push({ path, mode, id: blob.id, size: blob.content.length });
  }
  const tree = await buildTree(state.baseTree, changes, { hash, source: { read: (id) => looked.readTree(id) } });
  assert.ok(tree.ok, JSON.stringify(tree));
  const who = { name: "Ada", email: "ada@example.org", timeS: 1_700_000_000, offsetMinutes: 0 };
  const parents = state.baseCommit === null ? [] : [state.baseCommit];
  const content = encodeCommit({ tree: tree.value.id, parents, author: who, committer: who, message });
  assert.ok(content.ok);
  const commit = await makeObject(hash, "commit", content.value);
  const objects = new Map([
    ...blobs,
    ...tree.value.objects.map((object) => [object.id, object] as const),
    [commit.id, commit] as const,
  ]);
  const landed = tree.value.changes.map(({ path, before, after }) => ({
    path,
    before,
    after: after === null ? null : { ...after, content: (blobs.get(after.id) as GitObject).content },
  }));
  return {
    state,
    commit: commit.id,
    objects: [...objects.values()],
    steps: [{ commit: commit.id, changes: landed }],
    changes: landed,
  };
}

export async function land(
  path: string,
  landing: Landing,
  git: GitReader & GitWriter = plainRunner(),
): Promise<Result<Landed>> {
  const target = localTarget({ repository: repositoryAt(path), branch: landing.state.branch, git });
  return target.land(landing, git, () => undefined);
}

/** Looks, builds and lands; it must land with nothing left behind. */
export async function push(path: string, edits: Edits, branch: string | null = null): Promise<Landing> {
  const landing = await landingOf(await look(path, branch), edits);
  const landed = await land(path, landing);
  assert.deepEqual(landed, { ok: true, value: { kept: [] } });
  return landing;
}
