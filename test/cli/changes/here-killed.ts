// `changes land --here` that is killed before one of its own changes of the disk: each file is whole at that moment, and the same command
// ends it, beside what the person has not committed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Changer, newChanger } from "../../fixtures/changed-session.ts";
import { runner } from "../../fixtures/cli.ts";

const killer = join(import.meta.dirname, "../../fixtures/kill-at-change.ts");
const lines = (first: string, last: string) => `${first}\n${"middle\n".repeat(10)}${last}\n`;
const before: Readonly<Record<string, string>> = {
  "a.txt": lines("mine", "end"),
  "b.txt": "b\n",
  "gone/x.txt": "x\n",
  "notes.txt": "untracked\n",
  "staged.txt": "staged\n",
};
const after: Readonly<Record<string, string>> = {
  "a.txt": lines("mine", "agent"),
  "b.txt": "b\nmore\n",
  "new/deep.txt": "new\n",
  "notes.txt": "untracked\n",
  "staged.txt": "staged\n",
};

export function setUp(t: TestContext): Changer {
  const person = newChanger(t, { "a.txt": lines("one", "end"), "b.txt": "b\n", "gone/x.txt": "x\n" });
  person.bash("fix", "sed -i s/end/agent/ a.txt; echo more >> b.txt; rm -r gone; mkdir new; echo new > new/deep.txt");
  for (const [name, text] of Object.entries(before)) person.write(name, text);
  person.git("add", "staged.txt");
  return person;
}

/** Lands once to see the changes, then kills a landing before each that `isTried` chooses. Returns how many. */
export function killHere(t: TestContext, isTried: (change: string) => boolean): number {
  const whole = setUp(t);
  const { changes, signal } = landHere(whole, "", 0);
  assert.equal(signal, null);
  assertLanded(whole);
  // By its name: a landing also notes what it looked up, now and then, and so the number of a step differs from one landing to the next.
  const steps = changes.map((change) => `^${change.replaceAll(".", "\\.").replace(/[0-9a-f]{8,}/g, "[0-9a-f]+")}$`);
  const tried = [...changes.keys()].filter((index) => isTried(changes[index] ?? ""));
  for (const index of tried) {
    const like = steps[index] ?? "";
    const person = setUp(t);
    const killed = landHere(person, like, steps.slice(0, index + 1).filter((step) => step === like).length);
    const where = `before ${killed.changes.at(-1)}, with ${like}`;
    assert.equal(killed.signal, "SIGKILL", where);
    assert.match(killed.changes.at(-1) ?? "", new RegExp(like));
    assertWhole(person, where);
    const again = person.changes("land", "fix", "--here", "--yes");
    assert.equal(again.code, 0, `${where}: ${again.out}${again.err}`);
    assertLanded(person, `${where}: ${again.out}`);
  }
  return tried.length;
}

interface Landing {
  readonly changes: string[];
  readonly signal: string | null;
}

/** Killed before a change that is the `at`th of those that are like this; never with 0. */
export function landHere(person: Changer, like: string, at: number): Landing {
  const own = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-kill-")));
  try {
    const setting = JSON.stringify({ below: person.root, at, list: join(own, "list"), like });
    const words = ["--import", killer, runner, "changes", "land", "fix", "--here", "--yes"];
    const { signal } = spawnSync(process.execPath, words, {
      cwd: person.project,
      env: { ...person.env, KILL_AT: setting },
      stdio: ["ignore", "ignore", "inherit"],
    });
    return { signal, changes: readFileSync(join(own, "list"), "utf8").split("\n").filter(Boolean) };
  } finally {
    rmSync(own, { recursive: true });
  }
}

/** The person's files by name, without their repository. */
function filesOf({ project }: Changer): Map<string, string> {
  const found = readdirSync(project, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map((entry) => join(entry.parentPath, entry.name).slice(project.length + 1));
  const own = paths.filter((path) => !path.startsWith(".git/"));
  return new Map(own.map((path) => [path, readFileSync(join(project, path), "utf8")]));
}

function assertWhole(person: Changer, where: string): void {
  const files = filesOf(person);
  const aside = [...files].filter(([path]) => path.includes(".sallyport-")).map(([, text]) => text);
  for (const path of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const now = files.get(path);
    const isWhole = now === before[path] || now === after[path];
    assert.ok(isWhole || (now === undefined && aside.includes(before[path] ?? "")), `${where}: ${path} is ${now}`);
  }
}

function assertLanded(person: Changer, where = ""): void {
  assert.deepEqual(Object.fromEntries(filesOf(person)), after, where);
  assert.equal(person.git("show", ":staged.txt"), "staged\n");
  assert.equal(person.git("log", "--format=%s"), "first\n");
  const locks = readdirSync(join(person.project, ".git"), { recursive: true }).map(String);
  assert.deepEqual(locks.filter((name) => /\.lock$|sallyport-/.test(name)), []); // prettier-ignore
  assert.match(person.changes("list").out, /^No session has work/);
  const drafts = join(person.root, "state/drafts");
  assert.deepEqual(readdirSync(drafts).filter((name) => existsSync(join(drafts, name, "landing"))), []); // prettier-ignore
}
