// Somebody else is at work in the target while something lands: links are swapped in, files saved, the index and the
// branch moved.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { commit, git, makeRepository, pictureOf, writeFiles } from "../../../fixtures/git.ts";
import { runningInGroup, until } from "../../../fixtures/run.ts";
import { runs } from "../../../fixtures/runs.ts";
import { land, landingOf, look, openRoom, plainRunner } from "./local-room.ts";
import type { Race } from "./local-race-worker.ts";

const room = openRoom();
after(room.remove);

const startWorker = async (race: Race): Promise<{ ended: Promise<unknown> }> => {
  const worker = new Worker(join(import.meta.dirname, "local-race-worker.ts"), { workerData: race });
  const ended = new Promise((resolve, reject) => worker.once("exit", resolve).once("error", reject));
  await new Promise((resolve) => worker.once("message", resolve));
  return { ended };
};

const startSwapping = async (
  repo: string,
  outside: string,
): Promise<{ tell: (what: 0 | 1 | 2) => Promise<void>; ended: Promise<unknown> }> => {
  const signal = new Int32Array(new SharedArrayBuffer(12));
  const { ended } = await startWorker({ kind: "swap", signal, repo, outside });
  return {
    ended,
    async tell(what) {
      Atomics.store(signal, 0, what);
      Atomics.notify(signal, 0);
      while (what === 0 && Atomics.load(signal, 1) !== 0) await sleep(1);
    },
  };
};

it("a directory that turns into a link now and then leads nothing outside", async (context) => {
  const repo = makeRepository(room.path("swap"), { isUnborn: true });
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, each) => [`docs/f${each}`, `${each}\n`]));
  commit(repo, "first", files);
  const outside = room.path("outside");
  mkdirSync(outside);
  for (const [path, content] of Object.entries(files)) writeFileSync(join(outside, path.slice(5)), content);
  const before = pictureOf(outside);
  const { tell, ended } = await startSwapping(repo, outside);
  context.after(() => tell(1));
  const seen = { landed: 0, kept: 0, refused: 0 };
  const moments = ["look", "index-pack", "update-ref"];
  const isEnough = (round: number) => round >= runs(90, 15) && seen.refused > 0 && seen.kept > 0;
  for (let round = 0; round < 500 && !isEnough(round); round += 1) {
    const moment = moments[round % moments.length];
    const edits = Object.fromEntries(Object.keys(files).map((path) => [path, `round ${round}\n`]));
    const landing = await landingOf(await look(repo), { ...edits, [`docs/new${round}`]: "new\n" });
    const runner = plainRunner(([word]) => void (word === moment && tell(2)));
    if (moment === "look") void tell(2);
    const landed = await land(repo, landing, runner);
    await tell(0);
    if (!landed.ok) assert.ok(["conflict", "tool_failed"].includes(landed.failure.error), JSON.stringify(landed));
    seen[!landed.ok ? "refused" : landed.value.kept.length > 0 ? "kept" : "landed"] += 1;
    assert.deepEqual(pictureOf(outside), before);
    const left = readdirSync(join(repo, "docs")).filter((name) => name.startsWith(".sallyport"));
    assert.deepEqual(left, []);
    assert.equal(git(repo, ["rev-parse", "main"]).trim(), landed.ok ? landing.commit : landing.state.oldCommit);
    git(repo, ["reset", "-q", "--hard"]);
    git(repo, ["clean", "-fdq"]);
  }
  await tell(1);
  await ended;
  context.diagnostic(JSON.stringify(seen));
  git(repo, ["fsck", "--strict", "--no-dangling"]);
  assert.ok(seen.refused > 0 && seen.kept > 0);
});

it("control: who writes by path is led outside", async (context) => {
  const repo = makeRepository(room.path("swap-control"), { isUnborn: true });
  commit(repo, "first", { "docs/a.md": "a\n" });
  const outside = room.path("outside-control");
  mkdirSync(outside);
  const { tell, ended } = await startSwapping(repo, outside);
  context.after(() => tell(1));
  void tell(2);
  const end = performance.now() + 20_000;
  while (readdirSync(outside).length === 0 && performance.now() < end) {
    try {
      writeFileSync(join(repo, "docs/a.md"), "led astray\n");
    } catch {}
  }
  await tell(1);
  await ended;
  assert.deepEqual(readdirSync(outside), ["a.md"]);
});

it("a file that is saved in an editor at any moment of a landing stays as it was saved", async (context) => {
  const repo = makeRepository(room.path("save"), { isUnborn: true });
  const paths = Array.from({ length: 150 }, (_, each) => `d${each % 3}/f${each}`);
  let kept = 0;
  let replaced = 0;
  for (let round = 0; round < runs(12, 4) || (round < 50 && kept === 0); round += 1) {
    for (const path of paths) writeFiles(repo, { [path]: `round ${round}\n` });
    commit(repo, "start");
    const landing = await landingOf(
      await look(repo),
      Object.fromEntries(paths.map((path, each) => [path, each % 10 === 0 ? null : "landed\n"])),
    );
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const { ended } = await startWorker({
      kind: "save",
      signal,
      repo,
      paths: round % 2 === 0 ? paths : paths.toReversed(),
      spin: Math.random() * 400_000,
    });
    const landed = await land(
      repo,
      landing,
      plainRunner(([word]) => void (word === "update-ref" && Atomics.store(signal, 0, 2))),
    );
    Atomics.store(signal, 0, 2);
    await ended;
    assert.ok(landed.ok, JSON.stringify(landed));
    kept += landed.value.kept.length;
    replaced += paths.length - landed.value.kept.length;
    for (const path of paths) assert.equal(readFileSync(join(repo, path), "utf8"), `saved ${path}\n`);
    for (const directory of ["d0", "d1", "d2"])
      assert.deepEqual(
        readdirSync(join(repo, directory)).filter((name) => name.startsWith(".sallyport")),
        [],
      );
    assert.equal(git(repo, ["rev-parse", "main"]).trim(), landing.commit);
    assert.deepEqual(git(repo, ["diff", "--cached", "--name-only"]), "", "the index is in step with the branch");
  }
  context.diagnostic(JSON.stringify({ kept, replaced }));
  assert.ok(kept > 0);
});

it("a git that asks for the status all the time is no reason to fail, and what it stages meanwhile stays staged", async () => {
  const repo = makeRepository(room.path("busy"), { isUnborn: true });
  commit(repo, "first", { "a.txt": "a\n", "b.txt": "b\n" });
  const script = "while :; do touch t; git status >/dev/null 2>&1; git update-index --refresh >/dev/null 2>&1; done";
  const busy = spawn("/bin/sh", ["-c", script], { cwd: repo, detached: true, stdio: "ignore" });
  let landedTimes = 0;
  try {
    for (let round = 0; round < runs(15, 5) || (round < 50 && landedTimes === 0); round += 1) {
      const landing = await landingOf(await look(repo), { "a.txt": `round ${round}\n` });
      const landed = await land(repo, landing);
      if (landed.ok) assert.deepEqual(landed.value.kept, []);
      else assert.match(landed.failure.message, /another git is at work/);
      landedTimes += Number(landed.ok);
    }
  } finally {
    process.kill(-(busy.pid as number), "SIGKILL");
    await new Promise((resolve) => busy.once("close", resolve));
    await until("the git that it ran is gone too", () => runningInGroup(busy.pid as number).length === 0);
    rmSync(join(repo, ".git/index.lock"), { force: true });
  }
  assert.ok(landedTimes > 0);
  const staging = plainRunner(([word]) => {
    if (word !== "update-ref") return;
    writeFileSync(join(repo, "b.txt"), "staged meanwhile\n");
    git(repo, ["add", "b.txt"]);
  });
  const landed = await land(
    repo,
    await landingOf(await look(repo), { "a.txt": "last\n", "b.txt": "landed\n" }),
    staging,
  );
  assert.ok(landed.ok, JSON.stringify(landed));
  assert.deepEqual(
    landed.value.kept.map(({ path }) => path),
    ["b.txt"],
  );
  assert.equal(readFileSync(join(repo, "b.txt"), "utf8"), "staged meanwhile\n");
  assert.equal(git(repo, ["show", ":b.txt"]), "staged meanwhile\n");
  assert.equal(git(repo, ["show", "HEAD:b.txt"]), "landed\n");
});

it("of many who land on the same commit, one does", async () => {
  const repo = makeRepository(room.path("many"), { isUnborn: true });
  commit(repo, "first", { "a.txt": "a\n" });
  const landings = await Promise.all(
    [1, 2, 3, 4].map(async (each) => landingOf(await look(repo), { "a.txt": `${each}\n` }, `by ${each}`)),
  );
  const results = await Promise.all(landings.map((landing) => land(repo, landing)));
  const winners = landings.filter((_, each) => results[each]?.ok === true);
  assert.equal(winners.length, 1);
  assert.equal(git(repo, ["rev-parse", "main"]).trim(), winners[0]?.commit);
  assert.equal(git(repo, ["status", "--porcelain"]), "");
});
