// What it costs to ask a repository: git started plainly, through the whole gate, and through another project's server.
// All three must give the right answer, or the bench stops: the same text, or the same number of commits.

import type { Gate } from "../src/index.ts";
import { bareSpawn, type Spawned } from "./bare-spawn.ts";
import { enterRoom } from "./box-room.ts";
import { makeRepository, type Size } from "./git-repositories.ts";
import { type GitServer, openGitServer } from "./git-server.ts";
import { type Candidate, sample } from "./measure.ts";
import type { Table, Topic } from "./topic.ts";

const plain = "git started plainly";
const throughGate = "gate.call(Git), record included";
const withoutBox =
  "plain git and that server have no box and no record, and start what the repository's configuration names";
const LOG_COUNT = 20;

const sizes: readonly (readonly [string, Size])[] = [
  ["small", { commits: 50, files: 20 }],
  ["large", { commits: 100_000, files: 20_000 }],
];

interface Question {
  readonly title: string;
  readonly words: readonly string[];
  readonly call: { readonly op: string; readonly args?: readonly string[] };
  readonly tool: string;
  readonly toolArgs: Readonly<Record<string, unknown>>;
  readonly isRight: (answer: string) => boolean;
}

const questions: readonly Question[] = [
  {
    title: "status",
    words: ["status", "--porcelain"],
    call: { op: "status" },
    tool: "git_status",
    toolArgs: {},
    isRight: (answer) => (JSON.parse(answer) as { isClean?: boolean }).isClean === true,
  },
  {
    title: `log -n ${LOG_COUNT}`,
    words: ["log", "-n", String(LOG_COUNT)],
    call: { op: "log", args: ["-n", String(LOG_COUNT)] },
    tool: "git_log",
    toolArgs: { maxCount: LOG_COUNT },
    isRight: (answer) => (JSON.parse(answer) as { commits?: unknown[] }).commits?.length === LOG_COUNT,
  },
];

export const gitTopic: Topic = {
  name: "git",
  async measure() {
    const room = enterRoom();
    const server = await openGitServer(room.makeDirectory("home"));
    try {
      const tables: Table[] = [];
      for (const [name, size] of sizes) {
        const repo = makeRepository(`${room.directory}/${name}`, size);
        const gate = room.openGate(repo, [{ path: repo, mode: "r" }], `state-${name}`);
        for (const question of questions) {
          const candidates = await candidatesFor(question, repo, gate, server);
          const rows = await sample(candidates, { rounds: 100, warmUpRounds: 3, budgetMs: 6_000 });
          const title = `Git ${question.title}: ${size.commits} commits, ${size.files} files`;
          tables.push({ title, base: plain, rows });
        }
      }
      return { tables, goals: [], remarks: [typeof server === "string" ? server : withoutBox] };
    } finally {
      if (typeof server !== "string") await server.close();
      room.leave();
    }
  },
};

async function candidatesFor(
  question: Question,
  repo: string,
  gate: Gate,
  server: GitServer | string,
): Promise<Candidate[]> {
  const { printed: expected } = await plainGit(repo, question.words);
  const candidates: Candidate[] = [
    {
      name: plain,
      async run() {
        const { printed, tookMs } = await plainGit(repo, question.words);
        same(printed, expected);
        return tookMs;
      },
    },
    { name: throughGate, run: async () => same(await callGit(gate, repo, question.call), expected) },
  ];
  if (typeof server === "string") return candidates;
  const run = async () => {
    const answer = await server.call(question.tool, { path: repo, ...question.toolArgs });
    if (!question.isRight(answer)) throw new Error(`a wrong answer: ${answer.slice(0, 300)}`);
  };
  return [...candidates, { name: `@cyanheads/git-mcp-server ${server.version}, over MCP stdio`, run }];
}

async function plainGit(repo: string, words: readonly string[]): Promise<Spawned> {
  const environment = { PATH: "/usr/bin:/bin", HOME: "/nonexistent" };
  return await bareSpawn("/usr/bin/git", ["-C", repo, ...words], { environment });
}

async function callGit(gate: Gate, repo: string, call: Question["call"]): Promise<string> {
  const reply = await gate.call({ tool: "Git", args: { repo, ...call } });
  if (!reply.ok || reply.result["exit_code"] !== 0) throw new Error(`the call went wrong: ${JSON.stringify(reply)}`);
  return String(reply.result["stdout"]);
}

function same(printed: string, expected: string): void {
  if (printed !== expected) throw new Error(`not what git prints: ${printed.slice(0, 300)}`);
}
