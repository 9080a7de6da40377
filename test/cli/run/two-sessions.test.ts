// Several agents on one project: each has a draft of its own, and the landing of one is taken in by the other, or stops it.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { markOfThisProcess } from "../../../src/process/process-mark.ts";
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
