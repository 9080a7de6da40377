// A push or pull case on the bench: a world whose repository has something to pull, a gate with the git_* tools, and a
// person who answers as the case says.

import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Approver,
  createGate,
  createRegistry,
  type AnswerService,
  type FailureSlug,
  type Gate,
  registerBashTool,
  registerBuiltinTools,
  type Reply,
} from "../../src/index.ts";
import { scripted, type ScriptedApprover } from "../fixtures/approver.ts";
import { plainEnvironment } from "../fixtures/git.ts";
import { makeWorld, type World } from "./world.ts";

export interface PushOptions {
  readonly session?: string;
  readonly approvers?: readonly (Approver | ((answerService: AnswerService) => Approver))[];
  readonly timeoutS?: number;
  /** A directory that is the workspace, instead of memory. */
  readonly workspace?: string;
  /** Of GitHub's API. */
  readonly githubUrl?: string;
}

export interface PushBench {
  readonly world: World;
  readonly gate: Gate;
  readonly person: ScriptedApprover;
  readonly call: (tool: string, args?: unknown) => Promise<Reply>;
  readonly done: (tool: string, args?: unknown) => Promise<Record<string, unknown>>;
  readonly refused: (tool: string, args: unknown, error?: FailureSlug) => Promise<Extract<Reply, { ok: false }>>;
  readonly write: (path: string, content: string) => Promise<void>;
  readonly stage: (files: readonly string[], message?: string) => Promise<string>;
  /** Pushes into the world's repository, and gives the commit's id. */
  readonly push: (commitId: string, branch?: string) => Promise<string>;
}

let template: string | null = null;

export function makePushWorld(id: string): World {
  template ??= makeRepositoryToPull();
  const world = makeWorld(id, template);
  mkdirSync(join(world.root, "plain"));
  plain(world.repo, "update-index", "-q", "--refresh"); // the copies are other files than those in the index
  return world;
}

function makeRepositoryToPull(): string {
  const { repo } = makeWorld("push-template");
  plain(repo, "checkout", "-q", "--", "README.md");
  writeFile(repo, "templates/a.md", "# a template\n");
  writeFile(repo, "données/日本.md", "nihon\n");
  commitAll(repo, "something to pull");
  return repo;
}

export function openPushBench(world: World, options: PushOptions = {}): PushBench {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  const fs_grants = [
    { path: "/usr", mode: "r" },
    { path: world.root, mode: "rw" },
    { path: world.repo, mode: "r" },
  ];
  const person = scripted();
  const { workspace, githubUrl } = options;
  const gate = createGate({
    registry,
    statePath: join(world.directory, "state"),
    project: world.repo,
    session: options.session ?? "push",
    approvers: options.approvers ?? [person],
    configText: JSON.stringify({
      version: 1,
      agents: { default: { tool_grants: ["git_*", "*_file", "*_files", "Bash"], fs_grants } },
      approvals: { mode: "ask", timeout_s: options.timeoutS ?? 60 },
      ...(githubUrl === undefined ? {} : { git: { github_url: githubUrl } }),
      workspace: workspace === undefined ? { kind: "memory" } : { kind: "directory", path: workspace },
    }),
  });
  return { world, gate, person, ...waysOf(gate, world) };
}

function waysOf(gate: Gate, world: World): Omit<PushBench, "world" | "gate" | "person"> {
  const call: PushBench["call"] = (tool, args = {}) => gate.call({ tool, args });
  const done: PushBench["done"] = async (tool, args) => {
    const reply = await call(tool, args);
    assert.ok(reply.ok, `${tool} was refused: ${JSON.stringify(reply)}`);
    return reply.result;
  };
  return {
    call,
    done,
    async refused(tool, args, error) {
      const reply = await call(tool, args);
      assert.ok(!reply.ok, `${tool} was not refused: ${JSON.stringify(reply)}`);
      if (error !== undefined) assert.equal(reply.error, error, reply.message);
      return reply;
    },
    write: async (path, content) => void (await done("write_file", { path, content })),
    stage: async (files, message = "a commit") => String((await done("git_stage", { files, message }))["id"]),
    push: async (commitId, branch) => {
      const target = { type: "local", path: world.repo, ...(branch === undefined ? {} : { branch }) };
      return String((await done("git_push", { commitId, target }))["commitSha"]);
    },
  };
}

/** Git as a person has it: with the repository's own configuration, hooks and filters. */
export function plain(directory: string, ...args: string[]): string {
  const ended = tryPlain(directory, ...args);
  assert.equal(ended.status, 0, `git ${args.join(" ")}: ${ended.stderr}`);
  return ended.stdout;
}

/** Without what a hostile repository would run, so that only we can have made the marker. */
export function look(directory: string, ...args: string[]): string {
  return plain(directory, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", ...args);
}

export function tryPlain(directory: string, ...args: string[]) {
  return spawnSync("/usr/bin/git", ["-C", directory, ...args], { env: plainEnvironment, encoding: "utf8" });
}

export function commitAll(repository: string, message: string): void {
  plain(repository, "add", "--all");
  plain(repository, "commit", "--quiet", `--message=${message}`);
}

export function writeFile(directory: string, path: string, content: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), content);
}

/** The commit has exactly these changes to its parent, and the repository is sound. */
export function assertExactly(repository: string, sha: string, files: Readonly<Record<string, string | null>>): void {
  look(repository, "fsck", "--strict", "--no-dangling");
  const changed = look(repository, "diff-tree", "-r", "--no-commit-id", "--name-only", "-z", sha).split("\0");
  assert.deepEqual(changed.filter(Boolean).sort(), Object.keys(files).sort());
  for (const [path, content] of Object.entries(files)) {
    if (content === null) assert.notEqual(tryPlain(repository, "cat-file", "-e", `${sha}:${path}`).status, 0, path);
    else assert.equal(look(repository, "cat-file", "blob", `${sha}:${path}`), content, path);
  }
}
