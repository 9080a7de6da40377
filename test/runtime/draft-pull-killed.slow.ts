// A gate that is killed while it pulls into a draft.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";

const ROUNDS = 24;
const gateProcess = join(import.meta.dirname, "../fixtures/gate-process.ts");
const FILES = 100;

const draftOf = ({ state }: Project) =>
  join(state, "drafts", readdirSync(join(state, "drafts")).find((name) => !/\.(?:begin|gone|held)$/.test(name)) ?? "");
const isMoving = (project: Project) => existsSync(join(draftOf(project), "pull"));

const after = (timeMs: number) => {
  const startMs = performance.now();
  return () => performance.now() - startMs >= timeMs;
};

/** Pulls with a gate of its own, and kills that at most `laterMs` after it is time. Resolves to what it has said. */
async function killedPull(project: Project, isTime: () => boolean, laterMs = 0): Promise<string> {
  const fs_grants = [
    { path: "/usr", mode: "r" },
    { path: project.path, mode: "r" },
  ];
  const configText = JSON.stringify({
    version: 1,
    agents: { default: { tool_grants: ["*"], fs_grants, net_grants: [] } },
    workspace: { kind: "draft" },
    approvals: { mode: "ask", timeout_s: 60 },
  });
  const place = { statePath: project.state, project: project.path, session: "s1" };
  const options = { ...place, configText, tool: "git_pull", args: {} };
  const child = spawn(process.execPath, [gateProcess, JSON.stringify(options)]);
  let said = "";
  child.stdout.on("data", (text) => (said += String(text)));
  child.stderr.on("data", (text) => (said += String(text)));
  const closed = new Promise((resolve) => child.on("close", resolve));
  while (child.exitCode === null && !isTime()) await new Promise((resolve) => setTimeout(resolve, 1));
  if (laterMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * laterMs));
  child.kill("SIGKILL");
  await closed;
  return said;
}

test("a pull that is killed at any moment is whole or not at all, and nothing of the agent's is lost", async (t) => {
  const numbers = [...Array(FILES).keys()];
  const written = (round: number) =>
    Object.fromEntries(numbers.map((n) => [`files/${n}.txt`, `${round}\n${"x\n".repeat(50)}`]));
  const project = makeProject(t, { ".gitignore": "ignored\n", "a.txt": "a\n", ...written(0) });
  const gate = openDraft(t, project);
  await gate.bash(
    "echo own > ignored; echo 0 > mine.txt; git add -A; git commit -qm first; echo wip > wip.txt; for n in 1 2 3; do echo agent >> files/$n.txt; done",
  );
  // How many rounds were killed, and found the draft old, new, or in between.
  const tally = { ended: 0, old: 0, done: 0, between: 0 };
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const [name, text] of Object.entries(written(round))) project.write(name, text);
    project.write(`new/${round}.txt`, "new\n");
    project.git("add", "--all");
    project.git("commit", "--quiet", `--message=${round}`);
    await gate.bash(`echo ${round} >> mine.txt; git commit -qm ${round} mine.txt`);
    const said = await (round % 4 > 0
      ? killedPull(project, () => isMoving(project), 150 * (round % 4))
      : killedPull(project, after(3000 * Math.random())));
    if (said !== "") assert.match(said, /"ok":true/);
    const isBetween = isMoving(project);
    const mine = [...Array(round + 1).keys()].join("\n");
    const seen = await gate.bash(
      "cat mine.txt wip.txt ignored; git log --format=%an:%s | grep -c ^default:; git status --short; git fsck --strict",
    );
    const changed = [1, 2, 3].map((n) => ` M files/${n}.txt\n`).join("");
    assert.equal(seen, `${mine}\nwip\nown\n${round + 1}\n${changed}?? wip.txt\n`);
    const [heads = "", agents = ""] = (
      await gate.bash("head -qn 1 files/*.txt | sort -u; echo; tail -qn 1 files/*.txt | grep -c agent")
    ).split("\n\n");
    assert.equal(agents, "3\n");
    assert.ok(heads === String(round) || heads === String(round - 1), heads);
    const isNew = heads === String(round);
    assert.equal((await gate.bash("ls new")).includes(`${round}.txt`), isNew);
    const status = await gate.result("git_status", {});
    assert.equal(status["behind"] === undefined, isNew);
    assert.equal((status["unstaged"] as unknown[]).length, 5, JSON.stringify(status));
    tally[said !== "" ? "ended" : isBetween ? "between" : isNew ? "done" : "old"] += 1;
    if (!isNew) await gate.result("git_pull", {});
  }
  t.diagnostic(JSON.stringify(tally));
  assert.ok(tally.between > 0 && tally.old > 0);
});

test("who finishes a killed pull keeps what another call wrote meanwhile, and mends what git had half written", async (t) => {
  const text = (who: string) => `${who}\n${"x\n".repeat(50)}`;
  const project = makeProject(t, {
    "a.txt": text("one"),
    "b.txt": text("one"),
    "c.txt": text("one"),
    "gone.txt": "gone\n",
    ".gitattributes": "c.txt eol=crlf\n",
  });
  const gate = openDraft(t, project);
  await gate.bash("echo mine > mine.txt");
  const inLayer = (name: string) => join(draftOf(project), "upper", name);
  const seen = { kept: 0, mended: 0 };
  for (let round = 1; round <= ROUNDS && (seen.kept < 3 || seen.mended < 3); round += 1) {
    const before = await gate.bash("cat a.txt b.txt c.txt; git rev-parse HEAD");
    for (const name of ["a.txt", "b.txt", "c.txt"]) project.write(name, text(`round ${round}`));
    project.write(`new-${round}.txt`, "new\n");
    await killedPull(project, () => isMoving(project), 100);
    if (!isMoving(project)) continue;
    const isForeign = round % 2 === 0;
    // What git puts there, cut off; or what a program of another call has written.
    writeFileSync(inLayer("a.txt"), isForeign ? "PRECIOUS\n" : text(`round ${round}`).slice(0, 20));
    const now = await gate.bash("cat a.txt b.txt c.txt; git rev-parse HEAD; ls");
    if (isForeign) {
      assert.equal(now.slice(0, 9), "PRECIOUS\n");
      assert.ok(!now.includes(`new-${round}.txt`), "the draft is as it was, but for that file");
      await gate.bash("git checkout -q a.txt");
      assert.equal(await gate.bash("cat a.txt b.txt c.txt; git rev-parse HEAD"), before);
      seen.kept += 1;
    } else {
      assert.ok(now.startsWith(text(`round ${round}`)), now);
      assert.ok(now.includes(`new-${round}.txt`));
      seen.mended += 1;
    }
    assert.equal(isMoving(project), false);
    assert.equal(await gate.bash("cat mine.txt; git status --short"), "mine\n?? mine.txt\n");
    await gate.result("git_pull", {});
    assert.equal(readFileSync(inLayer("a.txt"), "utf8"), text(`round ${round}`));
  }
  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen.kept >= 3 && seen.mended >= 3);
});
