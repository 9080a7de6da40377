// Drafts: that a call costs the same in a large project as in a small one, that programs inside run as fast as outside, and how long a
// session takes to begin, against the worktree that a person would give to an agent.

import { loadavg } from "node:os";
import { dirname } from "node:path";
import type { Gate } from "../src/index.ts";
import { bareSpawn } from "./bare-spawn.ts";
import { enterRoom, type Room } from "./box-room.ts";
import { callBash, cloneThisRepository, environment, makeProject, openDraft } from "./draft-project.ts";
import { ratioOf, sample, summarize } from "./measure.ts";
import type { Goal, Table, Topic } from "./topic.ts";
import {
  atMost,
  childrenMs,
  outsideBash,
  statusScript,
  suitePackages,
  suiteScript,
  suiteTitle,
} from "./work-inside.ts";

const SIZES = [10, 20_000, 200_000] as const;
const WITHIN = { 20_000: 1.2, 200_000: 2 };
const MIDDLE = SIZES[1];

interface Part {
  readonly table: Table;
  readonly goals: readonly Goal[];
}

export const draftTopic: Topic = {
  name: "draft",
  async measure() {
    const room = enterRoom();
    const [loadBefore] = loadavg();
    try {
      const projects = new Map(SIZES.map((size) => [size, makeProject(room, `project-${size}`, size)]));
      const gates = new Map(
        [...projects].map(([size, project]) => [size, openDraft(room, project, `state-${size}`, "calls")]),
      );
      const middle = projects.get(MIDDLE) as string;
      const parts = [
        await measureCalls(gates),
        await measureStatus(middle, gates.get(MIDDLE) as Gate),
        await measureSuite(room),
        await measureBeginning(room, middle),
      ];
      return {
        tables: parts.map(({ table }) => table),
        goals: parts.flatMap(({ goals }) => goals),
        remarks: [
          `the load of the machine was ${loadBefore?.toFixed(1)} before and ${loadavg()[0]?.toFixed(1)} after`,
          "times of git status and of the tests are those that bash has inside; the start of the box is in the first table",
          "a worktree has neither the person's uncommitted work nor what git ignores",
        ],
      };
    } finally {
      room.leave();
    }
  },
};

async function measureCalls(gates: ReadonlyMap<number, Gate>): Promise<Part> {
  const nameOf = (size: number) => `Bash, ${size} files`;
  const rows = await sample(
    [...gates].map(([size, gate]) => ({ name: nameOf(size), run: async () => void (await callBash(gate, "true")) })),
    { rounds: 60, warmUpRounds: 3, budgetMs: 60_000 },
  );
  const base = nameOf(SIZES[0]);
  const goals = Object.entries(WITHIN).map(([size, bound]) =>
    atMost(
      `a call in a draft of ${size} files, of one of ${SIZES[0]}`,
      ratioOf(rows, nameOf(Number(size)), base),
      bound,
    ),
  );
  return { table: { title: "Bash in a draft: true", base, rows }, goals };
}

async function measureStatus(project: string, gate: Gate): Promise<Part> {
  const [outside, inside, whole] = ["git status outside", "git status inside", "the whole call inside"] as const;
  const rows = await sample(
    [
      outsideBash(outside, project, statusScript, (printed) => Number(printed) / 1000),
      { name: inside, run: async () => Number(await callBash(gate, statusScript)) / 1000 },
      { name: whole, run: async () => void (await callBash(gate, "git status >/dev/null")) },
    ],
    { rounds: 40, warmUpRounds: 2 },
  );
  return {
    table: { title: `git status, ${MIDDLE} files, from the second on`, base: outside, rows },
    goals: [atMost(`git status in a draft of ${MIDDLE} files, of outside`, ratioOf(rows, inside, outside), 1.5)],
  };
}

async function measureSuite(room: Room): Promise<Part> {
  const project = cloneThisRepository(room, suitePackages);
  const node = process.execPath;
  const gate = openDraft(room, project, "state-suite", "suite", [{ path: dirname(node), mode: "r" }]);
  const script = suiteScript(node);
  const [outside, inside] = ["outside", "in a draft"] as const;
  const rows = await sample(
    [
      outsideBash(outside, project, script, childrenMs),
      { name: inside, run: async () => childrenMs(await callBash(gate, script)) },
    ],
    { rounds: 10, warmUpRounds: 1, budgetMs: 600_000 },
  );
  return {
    table: { title: suiteTitle, base: outside, rows },
    goals: [atMost("processor time of tests in a draft, of outside", ratioOf(rows, inside, outside), 1.15)],
  };
}

const BEGINNINGS = 5;
const turns = ["first", "second"] as const;

/**
 * Each round has a state directory in which there was no session yet. Nothing is removed between the rounds: ext4 does not use an inode again
 * for minutes, and whoever makes files next to deleted ones searches past all of these each time.
 */
async function measureBeginning(room: Room, project: string): Promise<Part> {
  const times = new Map<string, number[]>();
  const note = (name: string, tookMs: number) => times.set(name, [...(times.get(name) ?? []), tookMs]);
  const addWorktrees = async (round: number): Promise<void> => {
    const paths = turns.map((turn) => `${room.directory}/worktree-${round}-${turn}`);
    for (const [index, path] of paths.entries()) {
      const words = ["-C", project, "worktree", "add", "-q", "--detach", path, "HEAD"];
      note(`git worktree add, ${turns[index]} time`, (await bareSpawn("/usr/bin/git", words, { environment })).tookMs);
    }
  };
  const beginSessions = async (round: number): Promise<void> => {
    for (const turn of turns) {
      const gate = openDraft(room, project, `state-begin-${round}`, turn);
      const startedMs = performance.now();
      await callBash(gate, "true");
      note(`a session's first call, ${turn} time`, performance.now() - startedMs);
      gate.close();
      await gate.closed;
    }
  };
  for (let round = 0; round < BEGINNINGS; round++) {
    if (round % 2 === 0) await addWorktrees(round);
    await beginSessions(round);
    if (round % 2 === 1) await addWorktrees(round);
  }
  const rows = [...times].map(([name, timesMs]) => summarize(name, timesMs));
  const title = `beginning a session in a project of ${MIDDLE} files`;
  return { table: { title, base: `git worktree add, ${turns[0]} time`, rows }, goals: [] };
}
