// A gate that is killed while it pulls into a draft.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";

const ROUNDS = 24;
const gateProcess = join(import.meta.dirname, "../fixtures/gate-process.ts");
const FILES = 100;

test("a pull that is killed at any moment is whole or not at all, and nothing of the agent's is lost", async (t) => {
  const numbers = [...Array(FILES).keys()];
  const written = (round: number) =>
    Object.fromEntries(numbers.map((n) => [`files/${n}.txt`, `${round}\n${"x\n".repeat(50)}`]));
  const project = makeProject(t, { ".gitignore": "ignored\n", "a.txt": "a\n", ...written(0) });
  const gate = openDraft(t, project);
  await gate.bash(
    "echo own > ignored; echo 0 > mine.txt; git add -A; git commit -qm first; echo wip > wip.txt; for n in 1 2 3; do echo agent >> files/$n.txt; done",
  );
  const grants = [
    { path: "/usr", mode: "r" },
    { path: project.path, mode: "r" },
  ];
  const configText = JSON.stringify({
    version: 1,
    agents: { default: { tool_grants: ["*"], fs_grants: grants, net_grants: [] } },
    workspace: { kind: "draft" },
    approvals: { mode: "ask", timeout_s: 60 },
  });
  const options = {
    statePath: project.state,
    project: project.path,
    configText,
    session: "s1",
    tool: "git_pull",
    args: {},
  };
  const draftName = () => readdirSync(join(project.state, "drafts")).find((name) => !name.includes(".begin-")) ?? "";
  const isMoving = () => existsSync(join(project.state, "drafts", draftName(), "pull"));
  /** Kills the gate after a time, or a moment after the draft has begun to change. Resolves to what it has said. */
  const killedPull = async (round: number, afterMs: number) => {
    const child = spawn(process.execPath, [gateProcess, JSON.stringify(options)]);
    let said = "";
    child.stdout.on("data", (text) => (said += String(text)));
    child.stderr.on("data", (text) => (said += String(text)));
    const closed = new Promise((resolve) => child.on("close", resolve));
    const startMs = performance.now();
    while (child.exitCode === null && performance.now() - startMs < afterMs && !(round % 4 > 0 && isMoving()))
      await new Promise((resolve) => setTimeout(resolve, 1));
    if (round % 4 > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * 150 * (round % 4)));
    child.kill("SIGKILL");
    await closed;
    return said;
  };
  // How many rounds were killed, and found the draft old, new, or in between.
  const tally = { ended: 0, old: 0, done: 0, between: 0 };
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const [name, text] of Object.entries(written(round))) project.write(name, text);
    project.write(`new/${round}.txt`, "new\n");
    project.git("add", "--all");
    project.git("commit", "--quiet", `--message=${round}`);
    await gate.bash(`echo ${round} >> mine.txt; git commit -qm ${round} mine.txt`);
    const said = await killedPull(round, round % 4 > 0 ? 60_000 : 3000 * Math.random());
    if (said !== "") assert.match(said, /"ok":true/);
    const isBetween = isMoving();
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
