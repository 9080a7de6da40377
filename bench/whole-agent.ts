// `sallyport run`: how long its program waits once the draft is there, what programs cost inside, and what an idle session holds in memory.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname } from "node:path";
import { bareSpawn } from "./bare-spawn.ts";
import { enterRoom, repository, type Room } from "./box-room.ts";
import { bubblewrapByHand } from "./by-hand.ts";
import { cloneThisRepository, environment, makeProject } from "./draft-project.ts";
import { type Candidate, ratioOf, sample } from "./measure.ts";
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

const FILES = 20_000;
const IDLE_MB = 150;

interface Part {
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
}

export const wholeAgentTopic: Topic = {
  name: "run",
  async measure() {
    if (!existsSync(`${repository}/dist/bundle/main.cjs`))
      return { tables: [], goals: [], remarks: ["left out: this clone is not built (npm run build)"] };
    const room = enterRoom();
    const [loadBefore] = loadavg();
    try {
      const project = makeProject(room, "project", FILES);
      const parts = [
        await measureStart(room, project),
        await measureStatus(room, project),
        await measureSuite(room),
        await measureMemory(room, project),
      ];
      return {
        tables: parts.flatMap(({ tables }) => tables),
        goals: parts.flatMap(({ goals }) => goals),
        remarks: [
          `the load of the machine was ${loadBefore?.toFixed(1)} before and ${loadavg()[0]?.toFixed(1)} after, on two processors`,
          "a start is from the command line to the program's first line, by the clock of a bash outside and one inside; the draft is there already",
          "memory is what the kernel counts as this session's own (Pss) of the gate, the holder of the draft and what starts the box; the box is not in it",
        ],
      };
    } finally {
      room.leave();
    }
  },
};

const now = "echo $EPOCHREALTIME";

async function measureStart(room: Room, project: string): Promise<Part> {
  const gate = room.openGate(project, [{ path: project, mode: "r" }], "by-hand");
  const byHand = await bubblewrapByHand(gate, room.directory, ["/bin/bash", "-c", now]);
  const run = runWords(room, project, ["bash", "-c", now]);
  const script = `${now}; exec ${run.map((word) => `'${word}'`).join(" ")} 2>/dev/null`;
  const names = {
    plain: "bash",
    hand: "bubblewrap by hand, the whole of it",
    node: "node -e 0, the whole of it",
    run: "sallyport run, until bash has started",
  };
  const rows = await sample(
    [
      { name: names.plain, run: () => startedIn(`${now}; exec /bin/bash -c '${now}'`, project) },
      { name: names.hand, run: async () => (await byHand()).tookMs },
      { name: names.node, run: async () => (await bareSpawn(process.execPath, ["-e", "0"])).tookMs },
      { name: names.run, run: () => startedIn(script, project, runEnvironment(room)) },
    ],
    { rounds: 30, warmUpRounds: 2, budgetMs: 90_000 },
  );
  const took = (figure: "medianMs" | "p10Ms") => (rows.find(({ name }) => name === names.run)?.[figure] ?? NaN) / 1000;
  return {
    tables: [{ title: `start of a program in a draft of ${FILES} files`, base: names.hand, rows }],
    goals: [
      atMost("the start of `sallyport run`, of bubblewrap by hand and node -e 0 together", startRatio(rows, names), 4),
      { what: "the start of `sallyport run`", measured: took("medianMs"), bound: 0.3, direction: "at most", unit: "s" },
      {
        what: "the start of `sallyport run`, the fastest tenth",
        measured: took("p10Ms"),
        bound: 0.3,
        direction: "at most",
        unit: "s",
      },
    ],
  };
}

function startRatio(rows: Table["rows"], { run, hand, node }: Record<"run" | "hand" | "node", string>): number {
  return 1 / (ratioOf(rows, hand, run) + ratioOf(rows, node, run));
}

/** The script prints the time before and after, in seconds. */
async function startedIn(script: string, cwd: string, own: NodeJS.ProcessEnv = environment): Promise<number> {
  const { printed } = await bareSpawn("/bin/bash", ["-c", script], { cwd, environment: own });
  const [before, after, ...rest] = printed.trim().split("\n").map(Number);
  if (before === undefined || after === undefined || rest.length > 0 || !(after > before))
    throw new Error(`no two times: ${printed}`);
  return (after - before) * 1000;
}

async function measureStatus(room: Room, project: string): Promise<Part> {
  const [outside, first, inside] = ["git status outside", "the first inside", "from the second on"];
  const read = (printed: string) => Number(printed) / 1000;
  const second = `git status >/dev/null || exit 1; ${statusScript}`;
  const rows = await sample(
    [
      outsideBash(outside, project, second, read),
      // The view of a run is a new one, of which the kernel knows no name yet.
      insideBash(first, room, project, statusScript, read),
      insideBash(inside, room, project, second, read),
    ],
    { rounds: 20, warmUpRounds: 2, budgetMs: 90_000 },
  );
  return {
    tables: [{ title: `git status, ${FILES} files`, base: outside, rows }],
    goals: [
      atMost("git status in `sallyport run` from the second on, of outside", ratioOf(rows, inside, outside), 1.5),
    ],
  };
}

async function measureSuite(room: Room): Promise<Part> {
  const project = cloneThisRepository(room, suitePackages);
  const script = suiteScript(process.execPath);
  const [outside, inside] = ["outside", "in sallyport run"];
  const rows = await sample(
    [outsideBash(outside, project, script, childrenMs), insideBash(inside, room, project, script, childrenMs)],
    { rounds: 6, warmUpRounds: 1, budgetMs: 120_000 },
  );
  return {
    tables: [{ title: suiteTitle, base: outside, rows }],
    goals: [atMost("processor time of tests in `sallyport run`, of outside", ratioOf(rows, inside, outside), 1.15)],
  };
}

async function measureMemory(room: Room, project: string): Promise<Part> {
  const [file = "", ...words] = runWords(room, project, ["bash", "-c", "echo ready; sleep 1000"]);
  const child = spawn(file, words, { cwd: project, env: runEnvironment(room), stdio: ["ignore", "pipe", "ignore"] });
  try {
    await new Promise((resolve, reject) => child.once("exit", reject).stdout.once("data", resolve));
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const measured = outsideBox(child.pid as number).reduce((sum, pid) => sum + ownMb(pid), 0);
    const what = "memory of an idle session";
    return { tables: [], goals: [{ what, measured, bound: IDLE_MB, direction: "at most", unit: "MB" }] };
  } finally {
    await endOf(child);
  }
}

async function endOf(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.removeAllListeners("exit").once("exit", resolve));
  child.kill("SIGTERM");
  if (child.exitCode === null) await ended;
}

/** The process and those below it, without the box. */
function outsideBox(pid: number): number[] {
  const below = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "latin1").split(" ").filter(Boolean).map(Number),
  );
  const isBox = (one: number) => readFileSync(`/proc/${one}/comm`, "latin1").startsWith("bwrap");
  return [pid, ...below.filter((one) => !isBox(one)).flatMap(outsideBox)];
}

function ownMb(pid: number): number {
  const kilobytes = /^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1];
  if (kilobytes === undefined) throw new Error(`the kernel does not tell the memory of ${pid}`);
  return Number(kilobytes) / 1024;
}

function insideBash(
  name: string,
  room: Room,
  project: string,
  script: string,
  read: (printed: string) => number,
): Candidate {
  const [file = "", ...words] = runWords(room, project, ["bash", "-c", script]);
  const options = { cwd: project, environment: runEnvironment(room) };
  return { name, run: async () => read((await bareSpawn(file, words, options)).printed) };
}

/** One session for each project: its draft is there from the second time on. */
function runWords(room: Room, project: string, words: readonly string[]): string[] {
  const config = `${room.configHome}/run.json`;
  const grants = ["/usr", dirname(process.execPath), "${project}"].map((path) => ({ path, mode: "r" }));
  writeFileSync(config, JSON.stringify({ version: 1, agents: { default: { tool_grants: [], fs_grants: grants } } }), {
    mode: 0o600,
  });
  const own = ["--config", config, "--project", project, "--state", room.statePath("run"), "--session", "bench"];
  return [process.execPath, `${repository}/bin/sallyport.js`, "run", ...own, "--", ...words];
}

function runEnvironment(room: Room): NodeJS.ProcessEnv {
  return { XDG_CONFIG_HOME: room.configHome, HOME: room.directory, PATH: "/usr/bin:/bin" };
}
