// A gate that is killed at any moment of a push to a branch that is checked out: the branch is where it was or where it was
// to be, and the same call again, by another gate, ends what was begun. What is the person's own stays as it is.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commit, git } from "../fixtures/git.ts";
import { makeGitGates } from "../fixtures/git-gates.ts";

const FILES = 300;
const names = Array.from({ length: FILES }, (_, index) => `many/${index % 10}/file-${index}.txt`);

export interface PushTally {
  /** Nothing had happened yet. */
  before: number;
  /** The branch had moved, and not all files had followed. */
  between: number;
  after: number;
}

export async function killAndPushAgain(enough: (rounds: number, tally: PushTally) => boolean): Promise<PushTally> {
  const world = makeGitGates();
  const tally: PushTally = { before: 0, between: 0, after: 0 };
  const { repo } = world;
  try {
    commit(repo, "many", Object.fromEntries([...names.map((name) => [name, "version 0\n"]), ["gone-0.txt", "x\n"]]));
    writeFileSync(join(repo, "README.md"), "changed by the person\n");
    writeFileSync(join(repo, "own.txt"), "new, of the person\n");
    const theirs = git(repo, ["status", "--porcelain"]);
    const configText = JSON.stringify({
      version: 1,
      agents: {
        default: {
          tool_grants: ["git_*"],
          fs_grants: ["/usr", world.directories.root].map((path) => ({ path, mode: "r" })),
        },
      },
      workspace: { kind: "memory" },
      approvals: { mode: "ask", timeout_s: 60 },
    });
    const target = { type: "local", path: ".", branch: "main" };
    for (let round = 1; !enough(round - 1, tally); round += 1) {
      const first = world.open({ session: "killed" });
      await first.done("git_pull", { source: { type: "local", path: "." }, paths: ["many/", `gone-${round - 1}.txt`] });
      const script = `for f in many/?/*.txt; do echo 'version ${round}' > $f; done; rm gone-${round - 1}.txt; echo x > gone-${round}.txt`;
      await first.done("Bash", { script });
      const { id } = await first.stage([...names, `gone-${round - 1}.txt`, `gone-${round}.txt`], `version ${round}`);
      first.gate.close();
      const old = git(repo, ["rev-parse", "main"]).trim();
      const options = {
        statePath: world.directories.state,
        project: repo,
        configText,
        session: "killed",
        commitId: id,
        target,
      };
      // In turn: when the branch has just moved, while the files follow, and at any moment.
      const afterMove = [0, 5, 20, null][round % 4] as number | null;
      await pushAndKill(options, world.home, () => readFileSync(join(repo, ".git/refs/heads/main"), "utf8"), afterMove);

      const now = git(repo, ["rev-parse", "main"]).trim();
      const isMoved = now !== old;
      const isClean = git(repo, ["status", "--porcelain"]) === theirs;
      // Files that were ready to take their places may lie beside them; the next push takes them away.
      const touched = git(repo, ["status", "--porcelain"]).replaceAll(/^\?\? .*\.sallyport-.*\n/gm, "");
      if (!isMoved) assert.equal(touched, theirs, "nothing has happened, also to the files");
      tally[!isMoved ? "before" : isClean ? "after" : "between"] += 1;

      const again = world.open({ session: "killed" });
      const { commitSha, previousSha } = await again.done("git_push", { commitId: id, target });
      assert.equal(commitSha, git(repo, ["rev-parse", "main"]).trim());
      assert.equal(previousSha, old);
      if (isMoved) {
        assert.equal(commitSha, now, "the same commit, not one on top of it");
        assert.equal(again.person.asked.length, 0, "a person has agreed to it, and it has landed");
      }
      assert.equal(
        git(repo, ["status", "--porcelain"]),
        theirs,
        "everything has followed, and nothing of ours is left",
      );
      assert.equal(git(repo, ["rev-parse", "main~1"]).trim(), old);
      for (const name of names) assert.equal(readFileSync(join(repo, name), "utf8"), `version ${round}\n`);
      assert.deepEqual(
        readdirSync(repo).filter((name) => name.startsWith("gone-")),
        [`gone-${round}.txt`],
      );
      git(repo, ["fsck", "--strict", "--no-dangling"]);
      const left = readdirSync(join(repo, ".git"), { recursive: true }).map(String);
      assert.deepEqual(
        left.filter((name) => /sallyport|\.lock$/.test(name)),
        [],
        "neither objects that waited nor a lock",
      );
      const twice = await again.done("git_push", { commitId: id, target });
      assert.equal(twice["commitSha"], commitSha);
      const { staged } = await again.done("git_status");
      assert.deepEqual(staged, []);
      assert.equal(again.gate.journal.verify().ok, true);
      again.gate.close();
    }
    return tally;
  } finally {
    world.close();
  }
}

/** `afterMs`: so long after the branch has moved; null: at any moment. */
async function pushAndKill(options: object, home: string, branch: () => string, afterMs: number | null): Promise<void> {
  const before = branch();
  const child = spawn(process.execPath, [join(import.meta.dirname, "push-process.ts"), JSON.stringify(options)], {
    detached: true,
    env: { ...process.env, HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  await Promise.race([once(child.stdout, "data"), ended]);
  if (afterMs === null) await Promise.race([sleep(Math.random() * 400, undefined, { ref: false }), ended]);
  else {
    while (!isOver() && branch() === before) await sleep(1);
    if (afterMs > 0) await sleep(afterMs);
  }
  if (!isOver() && child.pid !== undefined) process.kill(Math.random() < 0.5 ? -child.pid : child.pid, "SIGKILL");
  await ended;
}
