// Several agents on one project: each has a draft of its own, and the landing of one is taken in by the other, or stops it.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { markOfThisProcess } from "../../../src/process/process-mark.ts";
import { until } from "../../fixtures/run.ts";
import { newAgentPerson } from "../../fixtures/agent-person.ts";

const lines = (...changed: readonly string[]) => ["top", "2", "3", "4", "5", "bottom"].map((line) => changed.find((one) => one.startsWith(line)) ?? line).join("\n") + "\n"; // prettier-ignore

test("two runs at once work in two drafts; the second landing is rebased, and a conflict lands nothing", async (t) => {
  const person = newAgentPerson(t, { "a.txt": lines() });
  const edit = (from: string, to: string) => `sed -i s/^${from}$/${to}/ a.txt; git commit -qam ${to}; cat a.txt`;
  const [one, two, three] = await Promise.all(
    [edit("top", "top-one"), edit("bottom", "bottom-two"), edit("top", "top-three")].map((script, index) =>
      person.runBeside(["run", "--session", `s${index}`, "--", "bash", "-c", script]),
    ),
  );
  assert.deepEqual([one?.out, two?.out, three?.out], [lines("top-one"), lines("bottom-two"), lines("top-three")]);
  const main = ["--branch", "main", "--commits", "--yes"];
  const land = (session: string) => person.runBeside(["changes", "land", session, ...main]);
  const shown = () => readFileSync(join(person.project, "a.txt"), "utf8");
  assert.equal((await land("s0")).code, 0);
  assert.equal(shown(), lines("top-one"));
  const second = await land("s1");
  assert.equal(second.code, 0, second.err);
  assert.equal(shown(), lines("top-one", "bottom-two"));
  assert.equal(person.git("log", "--format=%s", "main"), "bottom-two\ntop-one\nfirst\n");
  const refs = person.git("for-each-ref");
  const third = await land("s2");
  assert.equal(third.code, 1, third.out);
  assert.match(third.err, /a\.txt/);
  assert.deepEqual([person.git("for-each-ref"), shown()], [refs, lines("top-one", "bottom-two")]);
  assert.equal(person.git("status", "--porcelain"), "");
  const kept = await person.runBeside(["run", "--session", "s2", "--", "cat", "a.txt"]);
  assert.equal(kept.out, lines("top-three"));
});

test("work lands while its program runs, which goes on; only what came later is left", async (t) => {
  const person = newAgentPerson(t, { "a.txt": "one\n" });
  const script =
    "echo two > a.txt; echo written; until [ -e ~/landed ]; do sleep 0.1; done; cat a.txt; echo later > b.txt";
  const run = person.start(["run", "--session", "s", "--", "bash", "-c", script]);
  let out = "";
  run.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  const ended = new Promise((resolve) => run.once("close", resolve));
  await until("it has written", () => out === "written\n");
  const landed = await person.runBeside(["changes", "land", "s", "--branch", "main", "--yes"]);
  assert.equal(landed.code, 0, landed.err);
  assert.equal(readFileSync(join(person.project, "a.txt"), "utf8"), "two\n");
  assert.equal(run.exitCode, null, "it runs");
  assert.equal((await person.runBeside(["run", "--session", "s", "--", "bash", "-c", "touch ~/landed"])).code, 0);
  assert.equal(await ended, 0);
  assert.equal(out, "written\ntwo\n");
  const { sessions } = JSON.parse(person.run(["changes", "list", "--json"]).out);
  assert.deepEqual(
    sessions.map((one: { files: number }) => one.files),
    [1],
  );
  assert.match((await person.runBeside(["changes", "diff", "s"])).out, /^\+later$/m);
});

test("what a session has outlives a restart of the machine", async (t) => {
  const person = newAgentPerson(t, { "a.txt": "one\n" });
  const first = await person.runBeside([
    "run",
    "--session",
    "s",
    "--",
    "bash",
    "-c",
    "echo two >> a.txt; echo kept > ~/kept",
  ]);
  assert.equal(first.code, 0, first.err);
  // As a machine that lost power leaves it: the holder's process id, and a draft that was being made, of before its start.
  const drafts = join(person.state, "drafts");
  const [name = "", ...others] = readdirSync(drafts);
  assert.deepEqual(others, []);
  writeFileSync(join(drafts, name, "holder"), String(process.pid));
  const [pid, started, namespace] = markOfThisProcess().split(".");
  mkdirSync(join(drafts, `${name}.${[pid, started, namespace, "00000000"].join(".")}-abc-1.begin`));
  const next = await person.runBeside(["run", "--session", "s", "--", "bash", "-c", "cat a.txt ~/kept"]);
  assert.deepEqual([next.code, next.out], [0, "one\ntwo\nkept\n"], next.err);
  assert.deepEqual(readdirSync(drafts), [name]);
});
