// Calls of the git_* tools that must be refused, by which word; nobody is asked, and nothing is made.

import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { FailureSlug } from "../../src/index.ts";
import { isRoot } from "../fixtures/run.ts";
import { commitAll, plain, type PushBench, type PushOptions, writeFile } from "./push-bench.ts";
import type { World } from "./world.ts";

export interface PushRefusal {
  readonly error: FailureSlug;
  readonly names?: string;
  readonly options?: (world: World) => PushOptions;
  readonly prepare?: (bench: PushBench) => Promise<void> | void;
}

const invalid = (names?: string): PushRefusal => ({ error: "invalid_args", ...(names === undefined ? {} : { names }) });

/** A workspace on disk, because only there can be what a workspace in memory never holds. */
function onDisk(world: World): PushOptions {
  const workspace = join(world.directory, "workspace");
  mkdirSync(workspace);
  symlinkSync(world.out, join(workspace, "dir"));
  const zero = join(workspace, "zero");
  const made = isRoot ? spawnSync("/bin/mknod", [zero, "c", "1", "5"]) : spawnSync("/usr/bin/mkfifo", [zero]);
  if (made.status !== 0) spawnSync("/usr/bin/mkfifo", [zero]);
  return { workspace };
}

export const pushRefusals: Readonly<Record<string, PushRefusal>> = {
  "push-stage-dotdot": invalid("files[0]"),
  "push-stage-backslash": invalid("files[0]"),
  "push-stage-nul": invalid("files[0]"),
  "push-stage-dotgit": invalid(".git"),
  "push-stage-dotgit-case": invalid(".git"),
  "push-stage-dotgit-hfs": invalid(".git"),
  "push-stage-dotgit-ntfs": invalid(".git"),
  "push-stage-dotgit-trail": invalid(".git"),
  "push-stage-dotgit-ads": invalid(".git"),
  // What leads out, or is no file, is not part of a workspace at all.
  "push-stage-symlink-dir": { error: "not_found", options: onDisk },
  "push-stage-device": { error: "not_found", options: onDisk },
  "push-stage-empty-list": invalid("files"),
  "push-stage-dup": { ...invalid("files[1]"), prepare: ({ write }) => write("a.md", "a\n") },
  "push-stage-case-dup": {
    ...invalid("files[1]"),
    prepare: async ({ write }) => {
      await write("a.md", "a\n");
      await write("A.md", "A\n");
    },
  },
  "push-stage-nonstring": invalid("files[0]"),
  "push-msg-nul": { ...invalid("message"), prepare: ({ write }) => write("a.md", "a\n") },
  "push-msg-empty": { ...invalid("message"), prepare: ({ write }) => write("a.md", "a\n") },

  "push-target-fd": invalid("target.path"),
  "push-target-helper": invalid("target.path"),
  "push-target-flag-path": invalid("target.path"),
  "push-target-flag-u": invalid("target.path"),
  "push-target-scp-dash": invalid("target.path"),
  "push-target-newline-url": invalid("target.path"),
  "push-target-github-url": invalid("target.repo"),
  "push-target-branch-colon": invalid("target.branch"),
  "push-target-branch-dotdot": invalid("target.branch"),
  "push-target-branch-lock": invalid("target.branch"),
  "push-target-branch-at-brace": invalid("target.branch"),
  "push-target-path-outside": { error: "fs_denied", names: "/etc" },
  "push-target-path-traversal": { error: "fs_denied" },
  "push-target-path-not-repo": invalid("target.path"),
  "push-target-path-home": invalid("target.path"),
  "push-target-bare-outside": {
    error: "fs_denied",
    prepare: ({ world }) => void plain(world.out, "init", "-q", "--bare", "b.git"),
  },
  "push-target-type-unknown": invalid("target"),
  "push-target-type-proto": invalid("target"),
  "push-target-extra-field": invalid("force"),
  "push-target-env-in-url": invalid("target.repo"),
  "push-unknown-commit": { error: "not_found", names: "nope" },
  "push-foreign-commit": { error: "not_found" },
  "push-proto-id": { error: "not_found", names: "constructor" },

  "pull-dotdot": invalid("paths[0]"),
  "pull-flag": invalid("paths[0]"),
  "pull-pathspec": invalid("paths[0]"),
  "pull-dest-proto": invalid("destZone"),
  "pull-ext-source": invalid("path"),
  "pull-dotgit-tree-entry": { ...invalid(".git"), prepare: ({ world }) => handMadeTree(world.repo) },
  "pull-overwrite-sandbox": {
    error: "conflict",
    names: "/workspace/a.txt",
    prepare: async ({ world, done, write }) => {
      await done("git_pull", { source: { type: "local", path: world.repo }, paths: ["a.txt"] });
      await write("a.txt", "changed in the sandbox\n");
      writeFile(world.repo, "a.txt", "changed in the source\n");
      commitAll(world.repo, "meanwhile");
    },
  },
};

/** Plain git makes no such tree; its plumbing does, when it is told to look away. */
function handMadeTree(repository: string): void {
  const input = (text: string | Buffer, ...args: string[]) => {
    const ended = spawnSync("/usr/bin/git", ["-C", repository, ...args], { input: text, encoding: "utf8" });
    if (ended.status !== 0) throw new Error(ended.stderr);
    return ended.stdout.trim();
  };
  const blob = input("[core]\n", "hash-object", "-w", "--stdin");
  const config = input(`100644 blob ${blob}\tconfig\n`, "mktree");
  const entry = Buffer.concat([Buffer.from("40000 .git\0"), Buffer.from(config, "hex")]);
  const tree = input(entry, "hash-object", "-w", "-t", "tree", "--literally", "--stdin");
  const made = plain(repository, "commit-tree", tree, "-m", "hand-made", "-p", "HEAD").trim();
  plain(repository, "update-ref", "refs/heads/main", made);
}
