// Gates, holders and processes of boxes that are killed at random moments: the next gate finds what a program had written and closed,
// nothing is left running or mounted, and the draft can be removed.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { removeDraft } from "../../src/sandbox/draft-directory.ts";
import { readHolder } from "../../src/sandbox/draft-holder.ts";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { until } from "../fixtures/run.ts";

const ROUNDS = 5;
const writer = join(import.meta.dirname, "../fixtures/draft-writer.ts");
const files = { "a.txt": "one\n", ".gitignore": "dep\n", "dep/d.txt": "d\n" };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const draftsOf = (project: Project) => readdirSync(join(project.state, "drafts"));

/** Processes whose command line has the mark, or that see the draft mounted. */
function processesOf(marks: readonly string[]): number[] {
  const has = (pid: string, name: string) => {
    try {
      const text = readFileSync(`/proc/${pid}/${name}`, "latin1");
      return marks.some((mark) => text.includes(mark));
    } catch {
      return false; // it has ended
    }
  };
  const pids = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid);
  return pids.filter((pid) => has(pid, "cmdline") || has(pid, "mountinfo")).map(Number);
}

interface Writer {
  readonly process: ChildProcess;
  readonly ended: Promise<unknown>;
  closed(): string[];
}

function startWriter(project: Project, session: string, round: number, mark: string): Writer {
  const child = spawn(process.execPath, [writer, project.state, project.path, session, String(round), mark], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("latin1").on("data", (text: string) => (said += text));
  return {
    process: child,
    ended: new Promise((resolve) => child.once("close", resolve)),
    closed: () => [...said.matchAll(/^closed (\S+)$/gm)].map(([, name = ""]) => name),
  };
}

/** Opens another gate at once, which must find these files, and closes it. */
async function checkNext(
  t: test.TestContext,
  project: Project,
  session: string,
  names: readonly string[],
): Promise<void> {
  const gate = openDraft(t, project, {}, { session });
  assert.equal(await gate.bash(`cat a.txt dep/d.txt ${names.join(" ")}`), ["one", "d", ...names, ""].join("\n"));
  gate.close();
  await gate.closed;
}

for (const victim of ["gate", "holder", "box"] as const)
  test(`the ${victim} is killed while a program writes`, { timeout: 600_000 }, async (t) => {
    const project = makeProject(t, files);
    const mark = `mark-${process.pid}-${victim}`;
    const all: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const gate = startWriter(project, "s1", round, mark);
      await until("it writes", () => gate.closed().length > 0 || gate.process.exitCode !== null);
      await wait(Math.random() * 300);
      const [name = ""] = draftsOf(project);
      const draft = join(project.state, "drafts", name);
      const holder = readHolder(draft);
      const inBox = processesOf([draft, mark]).filter((pid) => pid !== holder && pid !== gate.process.pid);
      assert.ok(inBox.length > 2, `only ${inBox.length} processes in the box`);
      const chosen = { gate: gate.process.pid, holder, box: inBox[Math.floor(Math.random() * inBox.length)] }[victim];
      process.kill(chosen ?? 0, "SIGKILL");
      await wait(Math.random() * 100);
      gate.process.kill("SIGKILL");
      await gate.ended;
      const closed = gate.closed();
      assert.ok(closed.length > 1);
      all.push(...closed.slice(0, 20), ...closed.slice(-100));
      await checkNext(t, project, "s1", all);
      await until("nothing is left running or mounted", () => processesOf([draft, mark]).length === 0);
    }
    const [name = "", ...others] = draftsOf(project);
    assert.deepEqual(others, []);
    removeDraft(join(project.state, "drafts", name));
    assert.deepEqual(draftsOf(project), []);
  });

/** What a beginning has made, one after the other. The draft then gets its name. */
const milestones = ["upper", "upper/many/49", "git/HEAD", "git/index", "draft.json"];

test("a gate is killed while it begins a draft", { timeout: 600_000 }, async (t) => {
  const many = Object.fromEntries([...Array(2000).keys()].map((n) => [`many/${n % 50}/${n}.txt`, `${n}\n`]));
  const project = makeProject(t, { ...files, ...many });
  const mark = `mark-${process.pid}-begin`;
  const drafts = join(project.state, "drafts");
  let unfinished = 0;
  for (const [round, milestone] of milestones.entries()) {
    const session = `s${round}`;
    const gate = startWriter(project, session, round, mark);
    const before = existsSync(drafts) ? draftsOf(project) : [];
    const begun = () =>
      existsSync(drafts) ? draftsOf(project).filter((name) => !before.includes(name) && !name.startsWith("try.")) : [];
    await until(`it has made ${milestone}`, () =>
      begun().some((name) => existsSync(join(drafts, name, milestone)) || !name.endsWith(".begin")),
    );
    gate.process.kill("SIGKILL");
    await gate.ended;
    if (draftsOf(project).some((name) => name.endsWith(".begin"))) unfinished += 1;
    await checkNext(t, project, session, gate.closed().slice(-100));
    await until("nothing is left running or mounted", () => processesOf([drafts, mark]).length === 0);
    assert.equal(draftsOf(project).length, round + 1, draftsOf(project).join());
  }
  t.diagnostic(`killed before the draft had its name: ${unfinished} of ${milestones.length}`);
  assert.ok(unfinished > 0);
  for (const name of draftsOf(project)) removeDraft(join(drafts, name));
  assert.deepEqual(draftsOf(project), []);
});
