// A gate that is killed while it lands a series in the checked-out branch, beside a person's staged, unstaged, untracked and ignored work.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";

const theirs = { "staged.txt": "staged\n", "c.txt": "unstaged\n", "notes.txt": "untracked\n", "x.log": "ignored\n" };
const gateProcess = join(import.meta.dirname, "../fixtures/gate-process.ts");

/** Kills each landing when the repository has changed visibly for this many times. Returns how many were killed before they had ended. */
export async function landAndKill(t: TestContext, steps: readonly number[]): Promise<number> {
  const project = makeProject(t, { ".gitignore": "*.log\n", "a.txt": "a\n", "c.txt": "c\n" });
  project.git("checkout", "-q", "-b", "work");
  for (const [name, text] of Object.entries(theirs)) project.write(name, text);
  project.git("add", "staged.txt");
  const more = { workspace: { kind: "draft" } };
  const gate = openDraft(t, project, { more });
  const agents = { default: { tool_grants: ["*"], fs_grants: [{ path: "/usr", mode: "r" }, { path: project.path, mode: "r" }] } }; // prettier-ignore
  const configText = JSON.stringify({ version: 1, agents, ...more });
  let killed = 0;
  let expected = "a\n";
  for (const step of steps) {
    await gate.bash(`echo ${step} >> a.txt; git commit -qam "edit ${step}"; echo ${step} > new-${step}; git add new-${step}; git commit -qm "new ${step}"`); // prettier-ignore
    const { id } = await gate.result("git_stage", { commits: "all" });
    const old = project.git("rev-parse", "work").trim();
    const options = { statePath: project.state, project: project.path, session: "s1", configText, tool: "git_push", yes: true, args: { commitId: id, target: { type: "local", path: project.path, branch: "work" } } }; // prettier-ignore
    if (await isKilled(project, JSON.stringify(options), step)) killed += 1;
    project.git("fsck", "--strict");
    assertTheirs(project);
    const made = project.git("rev-list", `${old}..work`).trim().split("\n").filter(Boolean).length;
    assert.ok([0, 2].includes(made), `${made} of two commits landed`);
    await isKilled(project, JSON.stringify(options), Infinity);
    expected += `${step}\n`;
    assert.equal(project.git("rev-list", "--count", `${old}..work`).trim(), "2", "the same push finishes it");
    assert.deepEqual([project.read("a.txt"), project.read(`new-${step}`)], [expected, `${step}\n`]);
    assertTheirs(project);
    assert.equal(project.git("status", "--porcelain"), " M c.txt\nA  staged.txt\n?? notes.txt\n");
    const left = readdirSync(join(project.path, ".git"), { recursive: true }).map(String);
    assert.deepEqual(left.filter((name) => /\.lock$|tmp_objdir/.test(name)), [], "no lock, no leftover"); // prettier-ignore
  }
  return killed;
}

function assertTheirs(project: Project): void {
  for (const [name, text] of Object.entries(theirs)) assert.equal(project.read(name), text, name);
  assert.equal(project.git("show", ":staged.txt"), theirs["staged.txt"]);
}

/** False if it ended by itself before. */
async function isKilled(project: Project, options: string, step: number): Promise<boolean> {
  const child = spawn(process.execPath, [gateProcess, options], { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "exit");
  let last = lookAt(project);
  for (let seen = 0; child.exitCode === null && child.signalCode === null && step !== Infinity;) {
    const now = lookAt(project);
    if (now !== last) seen += 1;
    last = now;
    if (seen === step) child.kill("SIGKILL");
    await new Promise((resolve) => setImmediate(resolve));
  }
  const [, signal] = await ended;
  return signal === "SIGKILL";
}

function lookAt({ path }: Project): string {
  const names = (directory: string) => tryOr(() => readdirSync(directory).map(String).sort().join());
  const branch = tryOr(() => readFileSync(join(path, ".git/refs/heads/work"), "utf8"));
  return [names(path), names(join(path, ".git")), names(join(path, ".git/objects")), branch, tryOr(() => readFileSync(join(path, "a.txt"), "utf8"))].join("|"); // prettier-ignore
}

function tryOr(read: () => string): string {
  try {
    return read();
  } catch {
    return ""; // it is being replaced
  }
}
