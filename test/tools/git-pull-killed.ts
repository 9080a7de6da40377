// A gate that is killed at any moment of a pull: the workspace is as it was or as it was to be, the store opens, and the
// same pull again comes to its end. What the agent wrote itself is never touched.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commit } from "../fixtures/git.ts";
import { makeGitGates, type Tools } from "../fixtures/git-gates.ts";

const FILES = 150;
const names = Array.from({ length: FILES }, (_, index) => `many/${index % 10}/file-${index}.txt`);

export interface PullTally {
  before: number;
  after: number;
  /** It was quicker than the blow. */
  ended: number;
}

export async function killAndPullAgain(enough: (rounds: number) => boolean): Promise<PullTally> {
  const world = makeGitGates();
  const tally: PullTally = { before: 0, after: 0, ended: 0 };
  try {
    const first = world.open({ session: "killed" });
    const configText = JSON.stringify({
      version: 1,
      agents: {
        default: {
          tool_grants: ["git_*"],
          fs_grants: ["/usr", world.directories.root].map((path) => ({ path, mode: "r" })),
        },
      },
      workspace: { kind: "memory" },
    });
    const version = (number: number) =>
      commit(world.repo, `version ${number}`, Object.fromEntries(names.map((name) => [name, `version ${number}\n`])));
    version(0);
    await first.done("git_pull", { source: { type: "local", path: "." }, paths: ["many/"] });
    await first.write("many/own.txt", "version of the agent\n");
    first.gate.close();
    let usualMs = 300;
    for (let round = 1; !enough(round - 1); round += 1) {
      version(round);
      const options = {
        statePath: world.directories.state,
        project: world.repo,
        configText,
        session: "killed",
        paths: ["many/"],
      };
      const tookMs = await pullAndKill(
        options,
        world.home,
        round === 1 ? Infinity : (0.3 + Math.sqrt(Math.random()) * 0.75) * usualMs,
      );
      if (tookMs !== null) usualMs = round === 1 ? tookMs : (usualMs * 3 + tookMs) / 4;
      const again = world.open({ session: "killed" });
      const found = await versions(again);
      assert.ok(found === `${round - 1}` || found === `${round}`, `half a pull: ${found}`);
      if (tookMs !== null) assert.equal(found, `${round}`);
      tally[tookMs !== null ? "ended" : found === `${round}` ? "after" : "before"] += 1;
      const { conflicts } = await again.done("git_pull", { source: { type: "local", path: "." }, paths: ["many/"] });
      assert.deepEqual(conflicts, []);
      assert.equal(await versions(again), `${round}`);
      const { unstaged } = await again.done("git_status");
      assert.deepEqual(unstaged, [{ path: "/workspace/many/own.txt", status: "new" }]);
      assert.equal(again.gate.journal.verify().ok, true);
      again.gate.close();
    }
    return tally;
  } finally {
    world.close();
  }
}

/** The versions that the files have; of a whole one, just one. */
async function versions(tools: Tools): Promise<string> {
  const { content } = await tools.done("read_file", { path: "many/own.txt" });
  assert.equal(content, "version of the agent\n");
  const { stdout } = await tools.done("Bash", { script: "cat many/?/*.txt | sort | uniq -c" });
  const lines = String(stdout)
    .trim()
    .split("\n")
    .map((line) => line.trim());
  return lines.map((line) => line.replace(`${FILES} version `, "")).join(", ");
}

/** How long it took, where it was not killed; the gate alone is, or its whole group. */
async function pullAndKill(options: object, home: string, delayMs: number): Promise<number | null> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "pull-process.ts"), JSON.stringify(options)], {
    detached: true,
    env: { ...process.env, HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  let output = "";
  let startedMs = 0;
  let tookMs: number | null = null;
  const started = Promise.withResolvers<undefined>();
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    if (startedMs === 0) startedMs = performance.now();
    started.resolve(undefined);
    if (output.includes("done\n")) tookMs = performance.now() - startedMs;
  });
  await Promise.race([started.promise, ended]);
  if (delayMs !== Infinity) await Promise.race([sleep(delayMs, undefined, { ref: false }), ended]);
  else await ended;
  if (child.exitCode === null && child.pid !== undefined)
    process.kill(Math.random() < 0.5 ? -child.pid : child.pid, "SIGKILL");
  await ended;
  assert.match(output, /^start\n(?:done\n)?$/);
  return tookMs;
}
