// What MCP adds: a call over standard streams and over HTTP against the same call in the library; git status against
// another project's server; many clients at once; and how late a server answers its client first.

import { mcpStartMs } from "./bare-spawn.ts";
import { callExec, enterRoom, type Room } from "./box-room.ts";
import { makeRepository, type Size } from "./git-repositories.ts";
import { openGitServer } from "./git-server.ts";
import { openHttp } from "./mcp-http.ts";
import { mcpPlace } from "./mcp-place.ts";
import { openStdio, type ToolResult } from "./mcp-stdio.ts";
import { type Candidate, ratioOf, sample } from "./measure.ts";
import type { Goal, Table, Topic, TopicReport } from "./topic.ts";

const argv = ["/bin/true"];
const CLIENTS = 50;
const CALLS = 20;
const sizes: readonly Size[] = [
  { commits: 50, files: 20 },
  { commits: 20_000, files: 20_000 },
];

export const mcpTopic: Topic = {
  name: "mcp",
  async measure() {
    const room = enterRoom();
    try {
      const parts = [await firstAnswer(room), await calls(room), await gitStatus(room), await manyClients(room)];
      return {
        tables: parts.flatMap(({ tables }) => tables),
        goals: parts.flatMap(({ goals }) => goals),
        remarks: [...new Set(parts.flatMap(({ remarks }) => remarks))],
      };
    } finally {
      room.leave();
    }
  },
};

const leftOut = (why: string): TopicReport => ({ tables: [], goals: [], remarks: [why] });

async function calls(room: Room): Promise<TopicReport> {
  const project = room.makeDirectory("project");
  const place = mcpPlace(room, project, [], "mcp-calls");
  if (typeof place === "string") return leftOut(place);
  const gate = room.openGate(project, [], "mcp-library");
  const stdio = await openStdio(place.words(), place);
  const http = await openHttp(place.words("--http", "0", "--json"), place);
  const client = await http.connect();
  const base = "gate.call(Exec) in the library";
  try {
    const rows = await sample(
      [
        { name: base, run: async () => void (await callExec(gate, argv)) },
        { name: "tools/call over stdio", run: async () => void printed(await stdio.call("Exec", { argv })) },
        { name: "tools/call over HTTP", run: async () => void printed(await client.call("Exec", { argv })) },
      ],
      { rounds: 200, budgetMs: 12_000 },
    );
    return { tables: [{ title: "MCP: Exec /bin/true", base, rows }], goals: [], remarks: [] };
  } finally {
    await stdio.close();
    await http.close();
  }
}

async function gitStatus(room: Room): Promise<TopicReport> {
  const other = await openGitServer(room.makeDirectory("git-server-home"));
  if (typeof other === "string") return leftOut(other);
  const tables: Table[] = [];
  try {
    for (const size of sizes) {
      const repo = makeRepository(`${room.directory}/mcp-${size.files}`, size);
      const place = mcpPlace(room, repo, [{ path: repo, mode: "r" }], `mcp-git-${size.files}`);
      if (typeof place === "string") return leftOut(place);
      const ours = await openStdio(place.words(), place);
      const base = `@cyanheads/git-mcp-server ${other.version}`;
      const candidates: Candidate[] = [
        {
          name: base,
          async run() {
            const { isClean } = JSON.parse(await other.call("git_status", { path: repo })) as { isClean?: boolean };
            if (isClean !== true) throw new Error("a wrong answer");
          },
        },
        {
          name: "sallyport mcp",
          async run() {
            if (printed(await ours.call("Git", { repo, op: "status" })) !== "") throw new Error("a wrong answer");
          },
        },
      ];
      const rows = await sample(candidates, { rounds: 100, warmUpRounds: 3, budgetMs: 8_000 });
      await ours.close();
      tables.push({ title: `MCP over stdio: git status, ${size.commits} commits, ${size.files} files`, base, rows });
    }
  } finally {
    await other.close();
  }
  return { tables, goals: [], remarks: ["that server has no box and no record"] };
}

async function manyClients(room: Room): Promise<TopicReport> {
  const project = room.makeDirectory("project");
  const place = mcpPlace(room, project, [], "mcp-many");
  if (typeof place === "string") return leftOut(place);
  const gate = room.openGate(project, [], "mcp-many-library");
  const server = await openHttp(place.words("--http", "0", "--json"), place);
  const numbers = Array.from({ length: CLIENTS }, (_, index) => index);
  const all = CLIENTS * CALLS;
  const base = `${all} calls in the library, ${CLIENTS} at once`;
  let fewestRight = all;
  const oneAfterOther = async (client: number, echo: (text: string) => Promise<string>): Promise<number> => {
    let right = 0;
    for (let turn = 0; turn < CALLS; turn++) {
      const said = `client ${client} call ${turn}`;
      if ((await echo(said).catch(String)) === `${said}\n`) right += 1;
    }
    return right;
  };
  const allAtOnce = async (echoOf: (client: number) => Promise<(text: string) => Promise<string>>): Promise<void> => {
    const right = await Promise.all(numbers.map(async (client) => await oneAfterOther(client, await echoOf(client))));
    fewestRight = Math.min(
      fewestRight,
      right.reduce((sum, count) => sum + count, 0),
    );
  };
  try {
    const rows = await sample(
      [
        { name: base, run: () => allAtOnce(async () => (text) => callExec(gate, ["/bin/echo", text])) },
        {
          name: `${CLIENTS} clients over HTTP, ${CALLS} calls each`,
          run: () =>
            allAtOnce(async () => {
              const client = await server.connect();
              return async (text) => printed(await client.call("Exec", { argv: ["/bin/echo", text] }));
            }),
        },
      ],
      { rounds: 1, warmUpRounds: 0 },
    );
    const goal: Goal = {
      what: `right replies of ${all} to ${CLIENTS} clients, in the worst round`,
      measured: fewestRight,
      bound: all,
      direction: "at least",
      unit: "right",
    };
    return { tables: [{ title: "MCP: many clients at once", base, rows }], goals: [goal], remarks: [] };
  } finally {
    await server.close();
  }
}

async function firstAnswer(room: Room): Promise<TopicReport> {
  const place = mcpPlace(room, room.makeDirectory("project"), [], "mcp-start");
  if (typeof place === "string") return leftOut(place);
  const bare = "bare server of the MCP library";
  const ours = "sallyport mcp";
  const candidate = (name: string, words: readonly string[], methods: readonly string[]): Candidate => ({
    name,
    run: () => mcpStartMs(words, { cwd: place.cwd, environment: place.environment }, methods),
  });
  const bareWords = [`${import.meta.dirname}/bare-mcp-server.js`];
  const initialize = await sample([candidate(bare, bareWords, []), candidate(ours, place.words(), [])], {
    rounds: 40,
    warmUpRounds: 2,
    budgetMs: 20_000,
  });
  const list = await sample(
    [candidate(bare, bareWords, ["tools/list"]), candidate(ours, place.words(), ["tools/list"])],
    { rounds: 30, warmUpRounds: 1, budgetMs: 20_000 },
  );
  const goal = (what: string, rows: typeof list, bound: number): Goal => ({
    what: `sallyport mcp until ${what}, of a bare server`,
    measured: ratioOf(rows, ours, bare),
    bound,
    direction: "at most",
    unit: "×",
  });
  return {
    tables: [
      { title: "MCP over stdio: from the start until initialize is answered", base: bare, rows: initialize },
      { title: "MCP over stdio: the same, until the tools are listed", base: bare, rows: list },
    ],
    goals: [goal("initialize is answered", initialize, 1.2), goal("the tools are listed", list, 1.4)],
    remarks: [],
  };
}

/** What the program printed. Anything but exit code 0 is thrown. */
function printed({ structuredContent }: ToolResult): string {
  const { result } = structuredContent as { result?: { exit_code?: unknown; stdout?: unknown } };
  if (result?.exit_code !== 0) throw new Error(`the call went wrong: ${JSON.stringify(structuredContent)}`);
  return String(result.stdout);
}
