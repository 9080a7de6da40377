// The command from a shell's point of view: started, one call made, ended. In an empty project, and in one with as many
// files as a project with its dependencies has.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { bareSpawn } from "./bare-spawn.ts";
import { enterRoom, repository, type Room } from "./box-room.ts";
import { ratioOf, sample } from "./measure.ts";
import type { Goal, Topic } from "./topic.ts";

const nothing = "node -e 0";
const inEmpty = "sallyport call Exec /bin/true";
const inLarge = "the same, in a project of 30,000 files, some of them hidden";
const listing = "sallyport audit list";
const reviewing = "sallyport review --once";

export const commandLineTopic: Topic = {
  name: "command-line",
  async measure() {
    if (!existsSync(`${repository}/dist/bundle/main.cjs`)) {
      return { tables: [], goals: [], remarks: ["`sallyport call` left out: this clone is not built (npm run build)"] };
    }
    const room = enterRoom();
    try {
      const empty = room.makeDirectory("project");
      const large = room.makeDirectory("large");
      plant(large);
      // What was changed a moment ago is not remembered.
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      const call = ["call", "Exec", JSON.stringify({ argv: ["/bin/true"] })];
      const rows = await sample(
        [
          { name: nothing, run: async () => (await bareSpawn(process.execPath, ["-e", "0"])).tookMs },
          { name: inEmpty, run: command(room, empty, call) },
          { name: inLarge, run: command(room, large, call) },
          { name: listing, run: command(room, empty, ["audit", "list", "--limit", "1"]) },
          { name: reviewing, run: command(room, empty, ["review", "--once"]) },
        ],
        { rounds: 30, warmUpRounds: 2, budgetMs: 40_000 },
      );
      const goal = (what: string, base: string, bound: number): Goal => ({
        what: `${what}, of ${base}`,
        measured: ratioOf(rows, what, base),
        bound,
        direction: "at most",
        unit: "×",
      });
      return {
        tables: [{ title: "one command, from start to end", base: nothing, rows }],
        goals: [goal(inEmpty, nothing, 6), goal(inLarge, nothing, 7), goal(reviewing, listing, 1.2)],
        remarks: [],
      };
    } finally {
      room.leave();
    }
  },
};

/** The built command in this room. What it answers is looked at. */
function command(room: Room, project: string, words: readonly string[]): () => Promise<number> {
  const config = `${room.configHome}/bench.json`;
  const grants = [
    { path: "/usr", mode: "r" },
    { path: "${project}", mode: "r", hide: [".env*", "*.pem"] },
  ];
  const agent = { tool_grants: ["Exec"], fs_grants: grants };
  writeFileSync(config, JSON.stringify({ version: 1, agents: { default: agent } }), { mode: 0o600 });
  const environment = { XDG_CONFIG_HOME: room.configHome, HOME: room.directory, PATH: "/usr/bin:/bin" };
  const isCall = words[0] === "call";
  const paths = [...(isCall ? ["--config", config, "--project", project] : []), "--state", room.statePath()];
  const all = [`${repository}/bin/sallyport.js`, ...words, ...paths];
  return async () => {
    const { printed, tookMs } = await bareSpawn(process.execPath, all, { environment });
    if (isCall && (JSON.parse(printed) as { ok: boolean }).ok !== true) throw new Error(printed);
    return tookMs;
  };
}

/** Packages with a few directories each, and the project's own sources. */
function plant(root: string): void {
  const fill = (directory: string, count: number) => {
    mkdirSync(directory, { recursive: true });
    for (let file = 0; file < count; file++) writeFileSync(`${directory}/file-${file}.js`, "");
  };
  for (let index = 0; index < 600; index++)
    for (const inner of ["", "/lib", "/dist", "/src", "/test/unit"])
      fill(`${root}/node_modules/package-${index}${inner}`, inner === "" ? 12 : 9);
  for (let index = 0; index < 120; index++) fill(`${root}/src/part-${index}`, 10);
  writeFileSync(`${root}/.env`, "A=1\n");
}
