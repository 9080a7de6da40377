// A landing that is killed by SIGKILL, before each of its changes of the disk: the next gate finishes or undoes it. Nothing is lost, nothing
// is mixed, and nothing of ours stays.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { markOfThisProcess } from "../../../src/process/process-mark.ts";
import { LayerHome } from "../../../src/sandbox/layer/layer-home.ts";
import { factsOf } from "../../../src/sandbox/layer/landing-plan.ts";
import type { LandingJournal, LandingStep } from "../../../src/sandbox/layer/landing-step.ts";

const program = join(import.meta.dirname, "../../fixtures/landing-process.ts");
const ID = "0123456789ab";
/** A process that does not exist. */
const dead = markOfThisProcess().replace(/^\d+\.\d+/, "4194303.1");
const before: Readonly<Record<string, string>> = {
  changed: "old",
  "dir/changed": "old",
  deleted: "old",
  "gone/a": "old",
  "gone/b": "old",
  file: "old",
  kept: "old",
};
const after: Readonly<Record<string, string>> = {
  changed: "new",
  "dir/changed": "new",
  "made/deep/new": "new",
  "file/now": "new",
  link: "-> kept",
  kept: "old",
};

interface Yard {
  readonly root: string;
  readonly state: string;
  readonly directory: string;
  readonly journal: string;
}

function setUp(t: TestContext): Yard {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-landing-")));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const [root, state] = [`${base}/root`, `${base}/state`];
  const directory = `${state}/layers/${dead}-${ID}`;
  const upper = `${directory}/0/upper`;
  for (const [name, text] of Object.entries(before)) put(`${root}/${name}`, text);
  for (const [name, text] of Object.entries(after)) if (text !== "old") put(`${upper}/${name}`, text);
  chmodSync(`${upper}/changed`, 0o4755);
  const facts = (path: string) => factsOf(lstatSync(`${root}/${path}`, { bigint: true }));
  const at = (path: string) => ({ place: 0, path });
  const steps: LandingStep[] = [
    ...["deleted", "gone/a", "gone/b", "file"].map((path): LandingStep => ({
      op: "delete",
      ...at(path),
      before: facts(path),
    })),
    { op: "remove", ...at("gone") },
    ...["made", "made/deep", "file"].map((path): LandingStep => ({ op: "make", ...at(path), mode: 0o755 })),
    ...["changed", "dir/changed"].map((path): LandingStep => ({
      op: "put",
      ...at(path),
      before: facts(path),
      size: 3,
      isPlain: path !== "changed",
    })),
    ...["made/deep/new", "file/now"].map((path): LandingStep => ({
      op: "put",
      ...at(path),
      before: null,
      size: 3,
      isPlain: path === "file/now",
    })),
    { op: "put", ...at("link"), before: null, size: "kept".length, isPlain: false },
  ];
  const journal: LandingJournal = { id: ID, places: [{ directory: root, upper, staging: "" }], steps };
  return { root, state, directory, journal: JSON.stringify(journal) };
}

function put(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  if (text.startsWith("-> ")) symlinkSync(text.slice(3), path);
  else writeFileSync(path, text);
}

function filesOf(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => !lstatSync(join(root, name)).isDirectory());
  return Object.fromEntries(
    names
      .sort()
      .map((name) => [
        name,
        lstatSync(join(root, name)).isSymbolicLink()
          ? `-> ${readlinkSync(join(root, name))}`
          : readFileSync(join(root, name), "utf8"),
      ]),
  );
}

function run(directory: string, what: string, killAt: number): { readonly killed: boolean; readonly count: number } {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [program, directory, what, String(killAt)], {
    encoding: "utf8",
  });
  assert.ok(signal === "SIGKILL" || status === 0, stderr);
  return { killed: signal === "SIGKILL", count: Number(stdout) };
}

const sorted = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The next gate. Whether the landing was finished. */
function nextGate({ root, state }: Yard, what: string): boolean {
  const home = new LayerHome(state);
  home.sweep();
  home.close();
  const found = filesOf(root);
  const isFinished = found["changed"] === "new";
  assert.deepEqual(found, sorted(isFinished ? after : before), what);
  assert.deepEqual(
    readdirSync(root).filter((name) => name.startsWith(".sallyport")),
    [],
    what,
  );
  const left = readdirSync(`${state}/layers`);
  assert.deepEqual(left, isFinished ? [] : [`kept-${ID}`], `${what}: what did not land is kept`);
  return isFinished;
}

test("control: a landing that nobody kills lands all of it, and gives no file the rights of its owner", (t) => {
  const yard = setUp(t);
  assert.equal(run(yard.directory, yard.journal, -1).killed, false);
  assert.deepEqual(filesOf(yard.root), sorted(after));
  assert.equal(lstatSync(`${yard.root}/changed`).mode & 0o7777, 0o755);
});

test("killed before each change, a landing is finished or undone at the next start", (t) => {
  const finished: boolean[] = [];
  for (let at = 0; ; at += 1) {
    const yard = setUp(t);
    if (!run(yard.directory, yard.journal, at).killed) break;
    finished.push(nextGate(yard, `killed at ${at}`));
  }
  assert.ok(finished.length > 25, `${finished.length} changes`);
  assert.deepEqual(
    finished,
    [...finished].sort((a, b) => Number(a) - Number(b)),
    "first they are undone, and from one change on all are finished",
  );
  assert.ok(finished.includes(false) && finished.includes(true));
});

test("killed once more while it is finished, it is finished by the one after", (t) => {
  for (let at = 0; ; at += 3) {
    const yard = setUp(t);
    run(yard.directory, yard.journal, 20);
    if (!run(yard.directory, "resume", at).killed) break;
    assert.equal(nextGate(yard, `killed at 20, and then at ${at}`), true);
    assert.ok(at < 60);
  }
});

test("a landing of a gate in another container is left to it for a day, and then finished", (t) => {
  const yard = setUp(t);
  run(yard.directory, yard.journal, 20);
  const elsewhere = yard.directory.replace(/(\d+)(\.[0-9a-f]{8}-)/, "$11$2");
  renameSync(yard.directory, elsewhere);
  const begun = filesOf(yard.root);
  const sweep = () => {
    const home = new LayerHome(yard.state);
    home.sweep();
    home.close();
  };
  sweep();
  assert.deepEqual([filesOf(yard.root), existsSync(elsewhere)], [begun, true], "it may be at work");
  const daysAgo = Date.now() / 1000 - 2 * 24 * 3600;
  utimesSync(`${elsewhere}/journal`, daysAgo, daysAgo);
  sweep();
  assert.deepEqual([filesOf(yard.root), readdirSync(`${yard.state}/layers`)], [sorted(after), []]);
});

test("what a person did between the kill and the next start stays", (t) => {
  const yard = setUp(t);
  run(yard.directory, yard.journal, 20);
  writeFileSync(`${yard.root}/dir/changed`, "theirs now");
  writeFileSync(`${yard.root}/link`, "theirs too");
  const home = new LayerHome(yard.state);
  home.sweep();
  home.close();
  const found = filesOf(yard.root);
  assert.deepEqual([found["dir/changed"], found["link"], found["changed"]], ["theirs now", "theirs too", "new"]);
  assert.deepEqual(
    readdirSync(yard.root).filter((name) => name.startsWith(".sallyport")),
    [],
  );
});
