// A hundred commits that an agent made in a draft, staged, reviewed and landed on a branch of the project; against `git am` of the same
// commits, as a person would take over somebody's patches.

import { writeFileSync } from "node:fs";
import type { Gate } from "../src/index.ts";
import { bareSpawn } from "./bare-spawn.ts";
import { enterRoom } from "./box-room.ts";
import { callBash, environment, makeProject, openDraft, runGit } from "./draft-project.ts";
import { ratioOf, sample } from "./measure.ts";
import type { Topic } from "./topic.ts";

const COMMITS = 100;
const FILES = 1_000;
const who = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};
const work = `for i in {1..${COMMITS}}; do d=part-$((i % 40))/directory-$((i % 40)); echo $i >> $d/file-$((i % 40))0.txt; git add -A; git commit -qm "number $i"; done`;

export const seriesTopic: Topic = {
  name: "series",
  async measure() {
    const room = enterRoom();
    try {
      const project = makeProject(room, "project", FILES);
      const byHand = makeProject(room, "by-hand", FILES);
      const gate = openDraft(room, project, "series-state", "series");
      await callBash(gate, work);
      const patches = `${room.directory}/patches`;
      writeFileSync(patches, await callBash(gate, `git format-patch --stdout HEAD~${COMMITS}`));
      const [am, landed] = ["git am", "git_stage, git_push"];
      let round = 0;
      const rows = await sample(
        [
          {
            name: am,
            async run() {
              const options = { environment: { ...environment, ...who } };
              const { tookMs } = await bareSpawn("/usr/bin/git", ["-C", byHand, "am", "--quiet", patches], options);
              runGit(byHand, ["reset", "-q", "--hard", `HEAD~${COMMITS}`]);
              return tookMs;
            },
          },
          {
            name: landed,
            run: async () => {
              const { id } = await call(gate, "git_stage", { commits: `HEAD~${COMMITS}..HEAD` });
              const target = { type: "local", path: project, branch: `series-${(round += 1)}` };
              const { commits } = await call(gate, "git_push", { commitId: id, target });
              if ((commits as string[]).length !== COMMITS) throw new Error("not all commits landed");
            },
          },
        ],
        { rounds: 10, warmUpRounds: 1, budgetMs: 60_000 },
      );
      return {
        tables: [{ title: `${COMMITS} commits in a project of ${FILES} files`, base: am, rows }],
        goals: [
          {
            what: `landing ${COMMITS} commits, of git am`,
            measured: ratioOf(rows, landed, am),
            bound: 1,
            direction: "at most",
            unit: "×",
          },
        ],
        remarks: ["the person says yes at once; git am reads patches that are there, and asks nobody"],
      };
    } finally {
      room.leave();
    }
  },
};

async function call(gate: Gate, tool: string, args: object): Promise<Record<string, unknown>> {
  const reply = await gate.call({ tool, args });
  if (!reply.ok) throw new Error(`${tool}: ${JSON.stringify(reply).slice(0, 2_000)}`);
  return reply.result;
}
