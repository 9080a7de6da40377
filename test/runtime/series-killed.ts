// A gate that is killed while it lands a series in the checked-out branch, beside a person's staged, unstaged, untracked and ignored work.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";

const theirs = { "staged.txt": "staged\n", "c.txt": "unstaged\n", "notes.txt": "untracked\n", "x.log": "ignored\n" };
const fixtures = join(import.meta.dirname, "../fixtures");

/** When the gate is killed. */
type Kill =
  /** When the repository has changed visibly for this many times, whoever changed it. */
  | { readonly visibleChange: number }
  /** Before this change that the gate makes itself in the project. */
  | { readonly ownChange: number }
  | "never";

export interface Round {
  readonly wasKilled: boolean;
  /** What the gate had begun to change itself. */
  readonly changes: readonly string[];
  readonly hasMoved: boolean;
}

/** Kills one landing at each of these changes. Returns how many had not ended before. */
export async function killAtVisibleChanges(t: TestContext, changes: readonly number[]): Promise<number> {
  const land = await prepareLandings(t);
  let killed = 0;
  for (const visibleChange of changes) if ((await land({ visibleChange })).wasKilled) killed += 1;
  return killed;
}

/** Lands once to see what the gate changes itself. Then kills one landing before each of these changes that `isTried` chooses. */
export async function killBeforeOwnChanges(t: TestContext, isTried: (change: string) => boolean): Promise<Round[]> {
  const land = await prepareLandings(t);
  const rounds: Round[] = [];
  const { changes } = await land("never");
  for (const [index, change] of changes.entries()) {
    if (!isTried(change)) continue;
    const round = await land({ ownChange: index + 1 });
    assert.deepEqual([round.wasKilled, round.changes.length], [true, index + 1], change);
    rounds.push(round);
  }
  return rounds;
}

/** Each landing has three commits: an edit, a file in a new directory, and a file that goes. The repository's state is looked at after each. */
async function prepareLandings(t: TestContext): Promise<(kill: Kill) => Promise<Round>> {
  const project = makeProject(t, { ".gitignore": "*.log\n", "a.txt": "a\n", "c.txt": "c\n", "gone-0": "x\n" });
  project.git("checkout", "-q", "-b", "work");
  for (const [name, text] of Object.entries(theirs)) project.write(name, text);
  project.git("add", "staged.txt");
  const more = { workspace: { kind: "draft" } };
  const gate = openDraft(t, project, { more });
  const agents = { default: { tool_grants: ["*"], fs_grants: [{ path: "/usr", mode: "r" }, { path: project.path, mode: "r" }] } }; // prettier-ignore
  const configText = JSON.stringify({ version: 1, agents, ...more });
  let round = 0;
  let expected = "a\n";
  return async (kill) => {
    round += 1;
    await gate.bash(`echo ${round} >> a.txt; git commit -qam "edit ${round}"
      mkdir new-${round}; echo ${round} > new-${round}/f; git add new-${round}; git commit -qm "new ${round}"
      git mv gone-${round - 1} gone-${round}; git commit -qm "moved ${round}"`);
    const { id } = await gate.result("git_stage", { commits: "all" });
    const old = project.git("rev-parse", "work").trim();
    const options = { statePath: project.state, project: project.path, session: "s1", configText, tool: "git_push", yes: true, args: { commitId: id, target: { type: "local", path: project.path, branch: "work" } } }; // prettier-ignore
    const { wasKilled, changes } = await push(project, JSON.stringify(options), kill);
    project.git("fsck", "--strict");
    assertTheirs(project);
    const made = () => Number(project.git("rev-list", "--count", `${old}..work`));
    const hasMoved = made() === 3;
    assert.ok(hasMoved || made() === 0, `${made()} of three commits landed`);
    const moved = project.git("rev-parse", "work");
    await push(project, JSON.stringify(options), "never");
    expected += `${round}\n`;
    assert.equal(made(), 3, "the same push finishes it");
    if (hasMoved) assert.equal(project.git("rev-parse", "work"), moved, "the same commits, not others on top of them");
    assert.deepEqual([project.read("a.txt"), project.read(`new-${round}/f`)], [expected, `${round}\n`]);
    assertTheirs(project);
    assert.equal(project.git("status", "--porcelain"), " M c.txt\nA  staged.txt\n?? notes.txt\n");
    const left = readdirSync(join(project.path, ".git"), { recursive: true }).map(String);
    assert.deepEqual(left.filter((name) => /\.lock$|tmp_objdir|sallyport-/.test(name)), [], "no lock, no leftover"); // prettier-ignore
    return { wasKilled, changes, hasMoved };
  };
}

function assertTheirs(project: Project): void {
  for (const [name, text] of Object.entries(theirs)) assert.equal(project.read(name), text, name);
  assert.equal(project.git("show", ":staged.txt"), theirs["staged.txt"]);
}

async function push(project: Project, options: string, kill: Kill): Promise<Pick<Round, "wasKilled" | "changes">> {
  const list = join(project.outside, "changes");
  rmSync(list, { force: true });
  const at = typeof kill === "object" && "ownChange" in kill ? kill.ownChange : 0;
  const setting = JSON.stringify({ below: project.path, at, list });
  const child = spawn(
    process.execPath,
    ["--import", join(fixtures, "kill-at-change.ts"), join(fixtures, "gate-process.ts"), options],
    { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, KILL_AT: setting } },
  );
  const ended = once(child, "exit");
  const visibleChange = typeof kill === "object" && "visibleChange" in kill ? kill.visibleChange : Infinity;
  let last = lookAt(project);
  for (let seen = 0; child.exitCode === null && child.signalCode === null && visibleChange !== Infinity;) {
    const now = lookAt(project);
    if (now !== last) seen += 1;
    last = now;
    if (seen === visibleChange) child.kill("SIGKILL");
    await new Promise((resolve) => setImmediate(resolve));
  }
  const [, signal] = await ended;
  const changes = tryOr(() => readFileSync(list, "utf8"))
    .split("\n")
    .filter(Boolean);
  return { wasKilled: signal === "SIGKILL", changes };
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
