// Staging and pushing files into a repository on this machine, against plain git, simple-git and isomorphic-git in a
// working tree: the files written, added and committed. And one file into a large tree, against one file into an empty one.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { loadConfig } from "../src/config/load.ts";
import { createGate, createRegistry, type Gate, registerBashTool, registerBuiltinTools } from "../src/index.ts";
import { bareSpawn } from "./bare-spawn.ts";
import { enterRoom, type Room, yes } from "./box-room.ts";
import { makeRepository } from "./git-repositories.ts";
import { type Candidate, ratioOf, sample } from "./measure.ts";
import { isomorphicGit, simpleGit } from "./push-libraries.ts";
import type { Goal, Table, Topic } from "./topic.ts";

const TREE_FILES = 20_000;
const SIZES = [100, 1_000, 10_000];
const FILE_BYTES = 200;
const GOAL = 20; // times faster than a library in a working tree, at the largest size

export const pushTopic: Topic = {
  name: "push",
  async measure() {
    const room = enterRoom();
    const gates: Gate[] = [];
    try {
      const large = makeRepository(`${room.directory}/large`, { commits: 1, files: TREE_FILES });
      const byHand = makeRepository(`${room.directory}/by-hand`, { commits: 1, files: TREE_FILES });
      const empty = makeRepository(`${room.directory}/empty`, { commits: 1, files: 1 });
      const tables: Table[] = [];
      const goals: Goal[] = [];
      const remarks: string[] = [];
      for (const size of SIZES) {
        const files = () => ({ paths: paths(size), contentOf: ((round += 1), contentOf) });
        const libraries: Candidate[] = [];
        for (const [name, make] of [
          ["simple", simpleGit],
          ["isomorphic", isomorphicGit],
        ] as const) {
          const repository = makeRepository(`${room.directory}/${name}-${size}`, { commits: 1, files: TREE_FILES });
          const candidate = await make(repository, files);
          if (typeof candidate === "string") remarks.push(candidate);
          else libraries.push(candidate);
        }
        const base = "write, git add, git commit";
        const rows = await sample(
          [
            plainGit(base, byHand, size),
            ...libraries,
            pushing("git_stage, git_push", openGate(room, gates, `push-${size}`), size, large, "bench"),
            pushing("the same, checked out there", openGate(room, gates, `main-${size}`), size, large, "main"),
          ],
          { rounds: 5, warmUpRounds: 0, budgetMs: 90_000 },
        );
        tables.push({ title: `${size} files into a repository of ${TREE_FILES}`, base, rows });
        // Every start of a process copies the tables of all memory that this one has: what is done is let go.
        for (const gate of gates.splice(0)) gate.close();
        if (size !== SIZES.at(-1)) continue;
        for (const { name } of libraries)
          goals.push({
            what: `${name}, of staging and pushing ${size} files`,
            measured: ratioOf(rows, name, "git_stage, git_push"),
            bound: GOAL,
            direction: "at least",
            unit: "×",
          });
      }
      const [into, alone] = [`into ${TREE_FILES} files`, "into an empty repository"];
      const rows = await sample(
        [
          pushing(alone, openGate(room, gates, "one-empty"), 1, empty, "bench"),
          pushing(into, openGate(room, gates, "one-large"), 1, large, "one"),
        ],
        { rounds: 25, warmUpRounds: 2, budgetMs: 20_000 },
      );
      tables.push({ title: "one file staged and pushed", base: alone, rows });
      goals.push({
        what: `one file ${into}, of ${alone}`,
        measured: ratioOf(rows, into, alone),
        bound: 2,
        direction: "at most",
        unit: "×",
      });
      return {
        tables,
        goals,
        remarks: [
          "each push is planned, asked about with its whole diff, answered at once, written to the record and landed by compare-and-swap",
          ...remarks,
        ],
      };
    } finally {
      for (const gate of gates) gate.close();
      room.leave();
    }
  },
};

const pathOf = (index: number): string => `pushed/part-${index % 100}/file-${index}.txt`;
const paths = (size: number): string[] => Array.from({ length: size }, (_, index) => pathOf(index));

let round = 0;
const contentOf = (index: number): string => `${round} ${index}\n`.padEnd(FILE_BYTES, "x");

function plainGit(name: string, repository: string, size: number): Candidate {
  const environment = {
    PATH: "/usr/bin:/bin",
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  };
  const git = (args: readonly string[]) => bareSpawn("/usr/bin/git", ["-C", repository, ...args], { environment });
  return {
    name,
    async run() {
      round += 1;
      for (const [index, path] of paths(size).entries()) {
        mkdirSync(dirname(`${repository}/${path}`), { recursive: true });
        writeFileSync(`${repository}/${path}`, contentOf(index));
      }
      await git(["add", "--", "pushed"]);
      await git(["commit", "-q", "-m", "by hand"]);
    },
  };
}

function pushing(name: string, gate: Gate, size: number, repository: string, branch: string): Candidate {
  return {
    name,
    async prepare() {
      round += 1;
      const script = `mkdir -p pushed/part-{0..99}; for ((i = 0; i < ${size}; i++)); do printf '%-${FILE_BYTES}s' "${round} $i" > pushed/part-$((i % 100))/file-$i.txt; done`;
      const { exit_code } = await call(gate, "Bash", { script, timeout_s: 120 });
      if (exit_code !== 0) throw new Error("the files could not be written");
    },
    async run() {
      const { id } = await call(gate, "git_stage", { files: paths(size), message: `${size} files` });
      const target = { type: "local", path: repository, branch };
      const { filesChanged } = await call(gate, "git_push", { commitId: id, target });
      if (filesChanged !== size) throw new Error(`${String(filesChanged)} of ${size} files changed`);
    },
  };
}

async function call(gate: Gate, tool: string, args: object): Promise<Record<string, unknown>> {
  const reply = await gate.call({ tool, args });
  if (!reply.ok) throw new Error(`${tool}: ${JSON.stringify(reply).slice(0, 2_000)}`);
  return reply.result;
}

function openGate(room: Room, gates: Gate[], session: string): Gate {
  const agent = {
    tool_grants: ["git_*", "Bash"],
    fs_grants: [
      { path: "/usr", mode: "r" },
      { path: `${room.directory}/large`, mode: "r" },
      { path: `${room.directory}/empty`, mode: "r" },
    ],
  };
  const loaded = loadConfig({
    configText: JSON.stringify({ version: 1, agents: { default: agent }, workspace: { kind: "memory" } }),
    statePath: room.statePath(),
    project: room.makeDirectory("project"),
    environment: { XDG_CONFIG_HOME: room.configHome, HOME: room.directory },
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  const gate = createGate({
    registry,
    config: loaded.config,
    session,
    approvers: [yes],
  });
  gates.push(gate);
  return gate;
}
