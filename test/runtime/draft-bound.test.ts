// One bound for all that a draft has on the disk, over all calls of its session.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";
import { keeper, TestDraft } from "../fixtures/keeper-draft.ts";

const files = { ".gitignore": "*.log\n", "a.txt": "one\n", "b.log": "log\n" };

/** Writes this many MiB, slowly enough to be noticed. */
const write = (place: string, mib: number) =>
  `mkdir -p ${place}; for i in {1..${mib}}; do head -c 1M /dev/zero > ${place}/x$i; sleep 0.02; done; sleep 0.15`;

test("a draft that reaches its bound ends the call, and an agent can read, delete, push and go on", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { limits: { draft_mb: 12 } });
  for (const [place, isHit] of [
    ["layer", false],
    ["$HOME/home", false],
    [".git/objects", true],
  ] as const) {
    const ran = await gate.result("Bash", { script: write(place, isHit ? 300 : 4) });
    assert.equal(ran["limit_hit"], isHit ? "disk" : null, `${place}: ${JSON.stringify(ran)}`);
    if (isHit) assert.match(String(ran["hint"]), /limits\.draft_mb.*Delete what is not needed/);
    else assert.equal(ran["exit_code"], 0);
  }
  assert.equal(await gate.bash("cat a.txt; ls layer | wc -l"), "one\n4\n");
  await gate.bash("echo two > a.txt; git add a.txt; git commit -qm two; sleep 0.15");
  assert.equal((await gate.result("git_status", {}))["error"], undefined);
  assert.match(String((await gate.result("git_diff", {}))["diff"]), /\+two/);
  const staged = await gate.result("git_stage", { files: ["a.txt"], message: "two" });
  assert.match(String(staged["id"]), /./);
  assert.equal(await gate.bash("rm -r layer $HOME/home .git/objects/x*; rm b.log; sleep 0.15; ls"), "a.txt\n");
  assert.equal(await gate.bash(`${write("again", 2)}; ls again | wc -l`), "2\n");
  assert.equal(project.read("b.log"), "log\n");
});

test("what the file tools write counts too", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { limits: { draft_mb: 4 } });
  const content = "x".repeat(1 << 20);
  const replies = [];
  for (let count = 1; count <= 6; count += 1)
    replies.push(await gate.reply("write_file", { path: `big-${count}.txt`, content }));
  const refused = replies.find((reply) => !reply.ok);
  assert.ok(replies[0]?.ok === true && refused?.ok === false, JSON.stringify(replies));
  assert.match(`${refused.error} ${refused.hint}`, /^tool_failed The draft has reached limits\.draft_mb/);
  await gate.result("delete_file", { path: "big-1.txt" });
  await gate.bash("rm big-*.txt; sleep 0.15");
  await gate.result("write_file", { path: "small.txt", content: "small\n" });
});

test("what a draft has on the disk is counted whatever programs made of it", (t) => {
  const draft = new TestDraft(t);
  const counted = () => {
    const { stdout, status, stderr } = spawnSync(keeper, ["measure", draft.directory], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return Number(stdout);
  };
  const inUpper = (name: string) => join(draft.directory, "upper", name);
  const empty = counted();
  writeFileSync(inUpper("file"), Buffer.alloc(1 << 20, 1));
  const taken = statSync(inUpper("file")).blocks * 512;
  assert.equal(counted() - empty, taken);
  for (let count = 0; count < 9; count += 1) linkSync(inUpper("file"), inUpper(`link-${count}`));
  assert.ok(Math.abs(counted() - empty - taken) < 20_000, "names of one file count once");
  writeFileSync(inUpper("sparse"), "");
  truncateSync(inUpper("sparse"), 50 * 2 ** 30);
  symlinkSync("/", inUpper("out"));
  assert.equal(spawnSync("mkfifo", [inUpper("pipe")]).status, 0);
  assert.ok(counted() - empty - taken < 40_000, "neither holes nor links nor pipes count");
  mkdirSync(inUpper("closed"));
  writeFileSync(inUpper("closed/file"), Buffer.alloc(1 << 20, 1));
  chmodSync(inUpper("closed"), 0);
  // Each of the ten names counts a tenth, rounded down.
  assert.ok(counted() - empty > 2 * taken - 10, "what is closed counts");
  chmodSync(inUpper("closed"), 0o700);
  const deep = Array.from({ length: 300 }, () => "d").join("/");
  mkdirSync(inUpper(deep), { recursive: true });
  assert.ok(counted() > 2 ** 50, "what is too deep to be looked at is too much");
});
