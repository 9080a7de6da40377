// Real git to compare with: a throw-away repository of each object format, and node's hash and deflate.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import type { GitObject, ObjectFormat, ObjectHash, ObjectId } from "../../../src/git/publish/object.ts";
import { type PackContext, writePack } from "../../../src/git/publish/pack.ts";
import { parseTree, type TreeEntry } from "../../../src/git/publish/tree-entry.ts";
import type { TreeSource } from "../../../src/git/publish/tree.ts";
import { afterAllFiles } from "../../fixtures/test-files.ts";

export const formats: readonly ObjectFormat[] = ["sha1", "sha256"];

export const hashes: Readonly<Record<ObjectFormat, ObjectHash>> = {
  sha1: nodeHash("sha1"),
  sha256: nodeHash("sha256"),
};

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

export function packContext(format: ObjectFormat): PackContext {
  return { startHash: () => createHash(format), deflate: (content) => deflateSync(content, { level: 1 }) };
}

export async function packOf(objects: readonly GitObject[], format: ObjectFormat): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of writePack(objects, objects.length, packContext(format))) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const base = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-publish-")));
afterAllFiles(() => rmSync(base, { recursive: true, force: true }));

let count = 0;

export function freshPath(): string {
  count += 1;
  return join(base, String(count));
}

export function bareRepository(format: ObjectFormat): string {
  const path = freshPath();
  git(base, ["init", "-q", "--bare", "-b", "main", `--object-format=${format}`, path]);
  return path;
}

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export function tryGit(
  directory: string,
  args: readonly string[],
  input: Uint8Array | string = "",
  environment: Readonly<Record<string, string>> = {},
): Ended {
  const ended = spawnSync("/usr/bin/git", args, {
    cwd: directory,
    input,
    maxBuffer: 1 << 28,
    env: {
      PATH: "/usr/bin:/bin",
      HOME: "/nonexistent",
      LC_ALL: "C.UTF-8",
      TZ: "UTC",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CEILING_DIRECTORIES: base,
      ...environment,
    },
  });
  return { exitCode: ended.status, stdout: ended.stdout, stderr: ended.stderr.toString() };
}

/** Where it must succeed. */
export function git(
  directory: string,
  args: readonly string[],
  input: Uint8Array | string = "",
  environment: Readonly<Record<string, string>> = {},
): string {
  const { exitCode, stdout, stderr } = tryGit(directory, args, input, environment);
  assert.equal(exitCode, 0, `git ${args.join(" ")}: ${stderr}`);
  return stdout.toString().trimEnd();
}

/** Trees out of objects in memory, with a record of what was read. */
export class MemoryTrees implements TreeSource {
  readonly asked: ObjectId[] = [];
  readonly #trees = new Map<ObjectId, Uint8Array>();
  readonly #format: ObjectFormat;

  constructor(format: ObjectFormat) {
    this.#format = format;
  }

  add(objects: readonly GitObject[]): void {
    for (const { id, content } of objects) this.#trees.set(id, content);
  }

  async read(id: ObjectId): Promise<readonly TreeEntry[]> {
    this.asked.push(id);
    const content = this.#trees.get(id);
    const entries = content === undefined ? null : parseTree(content, this.#format);
    if (entries === null) throw new Error(`no tree ${id}`);
    return entries;
  }
}
