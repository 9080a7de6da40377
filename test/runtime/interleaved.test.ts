// A person who works in the project while a series, or `changes land --here`, is landing: when they are asked, or right before any change that
// the gate itself makes there. Either it lands whole beside what they did, or nothing has changed; nothing is lost, mixed or left behind.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type Changer, newChanger } from "../fixtures/changed-session.ts";
import { noTerminal, runner } from "../fixtures/cli.ts";
import { openDialog } from "../fixtures/dialog.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";
import fc from "../fixtures/fast-check.ts";
import { isFull, runs } from "../fixtures/runs.ts";

const fixtures = join(import.meta.dirname, "../fixtures");
const text = (name: string, line = "") =>
  Array.from({ length: 12 }, (_, at) => `${name} ${at}${at === 2 ? line : ""}\n`).join("");

type Texts = Readonly<Record<string, string>>;

const old: Texts = { "a.txt": text("a"), "b.txt": text("b"), "clash.txt": "work\n", "gone.txt": text("gone") };
const landed: Texts = {
  "a.txt": text("a", ", agent"),
  "b.txt": text("b"),
  "clash.txt": "work\n",
  "made/new.txt": "made\n",
  "moved.txt": text("gone"),
};
const work = `sed -i 's/ 2$/ 2, agent/' a.txt; git commit -qam edit
  mkdir made; echo made > made/new.txt; git add made; git commit -qm make
  git mv gone.txt moved.txt; git commit -qm move`;
const subjects = ["edit", "make", "move"];

const paths = ["a.txt", "b.txt", "gone.txt", "made/new.txt"] as const;
type Path = (typeof paths)[number];
const mine = (path: Path) => `${old[path] ?? ""}mine\n`;

/** Shell commands, one step each. A person stops at the first that fails, such as when git says that another git is at work. */
const deeds = {
  edit: (path: Path) => [written(path)],
  stage: (path: Path) => [written(path), `git add ${path}`],
  commit: (path: Path) => [written(path), `git add ${path}`, `git commit -qm mine -- ${path}`],
  delete: (path: Path) => [`rm ${path}`],
  rename: (path: Path) => [`mv ${path} ${path}.mine`],
  rebase: () => ["{ git rebase -q clash; test -d .git/rebase-merge; }"],
} as const;

/** As an editor saves: all of the file, as the person had it before their eyes. */
const written = (path: Path) => `{ mkdir -p $(dirname ${path}) && printf %s '${mine(path)}' > ${path}; }`;

interface Deed {
  readonly what: keyof typeof deeds;
  readonly path: Path;
  /** When the person is asked, or this part of the way through the gate's own changes. */
  readonly moment: "asked" | number;
}

const anyDeed: fc.Arbitrary<Deed> = fc.record({
  what: fc.constantFrom(...(Object.keys(deeds) as Deed["what"][])),
  path: fc.constantFrom(...paths),
  moment: fc.oneof({ weight: 1, arbitrary: fc.constant<"asked">("asked") }, { weight: 3, arbitrary: fc.double({ min: 0, max: 0.999, noNaN: true }) }), // prettier-ignore
});

const stepsOf = ({ what, path }: Deed) => deeds[what](path);

/** Does the steps, and notes in a file each that was done. */
function scriptOf(project: string, steps: readonly string[], log: string): string {
  const who = "GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=Ann GIT_COMMITTER_EMAIL=a@b";
  const when = "GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'";
  return [
    `export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 ${who} ${when}`,
    `cd '${project}' && : > '${log}'`,
    ...steps.map((step) => `${step} && echo done >> '${log}' || exit 1`),
  ].join("\n");
}

type Git = (...words: string[]) => string;

/** `work` is checked out, and does not fit together with `clash`. */
function branchesFor(git: Git, write: (name: string, content: string) => void): void {
  git("checkout", "-q", "-b", "clash");
  write("clash.txt", "clash\n");
  git("commit", "-qam", "on clash");
  git("checkout", "-q", "-b", "work", "main");
  write("clash.txt", "work\n");
  git("commit", "-qam", "on work");
}

function filesOf(project: string): Record<string, string> {
  const found = readdirSync(project, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const all = found.map((entry) => join(entry.parentPath, entry.name).slice(project.length + 1));
  const own = all.filter((path) => !path.startsWith(".git/")).sort();
  return Object.fromEntries(own.map((path) => [path, readFileSync(join(project, path), "utf8")]));
}

interface Place {
  readonly project: string;
  readonly outside: string;
  readonly git: Git;
}

function look({ project, git }: Pick<Place, "project" | "git">): unknown {
  return {
    files: filesOf(project),
    index: git("ls-files", "--stage"),
    head: readFileSync(join(project, ".git/HEAD"), "utf8"),
    refs: git("for-each-ref"),
    rebases: existsSync(join(project, ".git/rebase-merge")),
  };
}

interface Met {
  /** The steps of the deed that were done. */
  readonly done: readonly string[];
  /** The project with the deed alone. */
  readonly twin: Pick<Place, "project" | "git">;
}

/** What a landing meets. `land` starts it with what the person does, and at which change of the gate's; 0 is when they are asked. */
async function meet(
  place: Place,
  deed: Deed,
  land: (script: string, at: number) => Promise<void>,
  changes: number,
): Promise<Met> {
  const twin = join(place.outside, "twin");
  const log = join(place.outside, "log");
  cpSync(place.project, twin, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  const at = deed.moment === "asked" ? 0 : 1 + Math.floor(deed.moment * changes);
  rmSync(log, { force: true });
  await land(scriptOf(place.project, stepsOf(deed), log), at);
  // A landing that is refused early does not come to that change.
  const count = existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0;
  const done = stepsOf(deed).slice(0, count);
  // What the landing had made before the person deleted or renamed it, the twin does not have.
  spawnSync("sh", ["-c", scriptOf(twin, done, join(place.outside, "log-of-twin"))], { stdio: "ignore" });
  return { done, twin: { project: twin, git: (...words) => place.git("-C", twin, ...words) } };
}

/** No lock and nothing of the gate's is left, and all objects are whole. */
function assertClean({ project, git }: Place): void {
  const left = readdirSync(project, { recursive: true }).map(String);
  assert.deepEqual(left.filter((name) => /\.lock$|tmp_objdir|tmp_pack|sallyport-/.test(name)), []); // prettier-ignore
  git("fsck", "--strict");
}

/** The files after a landing beside a deed: what the person did is there, and everything else has landed. */
function assertBoth(found: Record<string, string>, { what, path }: Deed, { done }: Met, context: string): void {
  const now: Record<string, string | undefined> = { ...found };
  const expected: Record<string, string | undefined> = { ...landed };
  if (done.length > 0 && what !== "rebase") {
    const theirs = now[path];
    if (what === "rename") {
      const moved = now[`${path}.mine`];
      assert.ok(moved !== undefined && [old[path], landed[path]].includes(moved), `${context}: ${moved}`);
      delete now[`${path}.mine`];
    }
    const isThere = what !== "rename" && what !== "delete";
    if (isThere) assert.ok([mine(path), `${landed[path]}mine\n`].includes(theirs ?? ""), `${context}: ${theirs}`);
    else assert.equal(theirs, undefined, context);
    delete now[path];
    delete expected[path];
  }
  assert.deepEqual(now, expected, context);
}

async function endOf(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<{ out: string; code: number | null }> {
  // prettier-ignore
  const child = spawn(process.execPath, words, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  await once(child, "close");
  return { out, code: child.exitCode };
}

const watcher = join(fixtures, "kill-at-change.ts");

const watching = (below: string, list: string, at: number, script: string) => ({
  KILL_AT: JSON.stringify({ below, at: 0, list }),
  WORK_AT: JSON.stringify({ at, script }),
});

function changesIn(list: string): string[] {
  return existsSync(list) ? readFileSync(list, "utf8").split("\n").filter(Boolean) : [];
}

type Outcome = "landed" | "refused";

interface Series extends Place {
  readonly oldCommit: string;
  push(script: string, at: number): Promise<{ ok: boolean; error?: string; text: string; changes: string[] }>;
  close(): Promise<void>;
}

async function openSeries(t: TestContext): Promise<Series> {
  const files = { ...old, "clash.txt": "main\n" };
  const project = makeProject(t, files);
  const git: Git = (...words) => project.git(...words);
  branchesFor(git, (name, content) => project.write(name, content));
  const more = { workspace: { kind: "draft" } };
  const gate = openDraft(t, project, { more });
  await gate.bash(work);
  const { id } = await gate.result("git_stage", { commits: "all" });
  const agents = { default: { tool_grants: ["*"], fs_grants: [{ path: "/usr", mode: "r" }, { path: project.path, mode: "r" }] } }; // prettier-ignore
  const configText = JSON.stringify({ version: 1, agents, ...more });
  const target = { type: "local", path: project.path, branch: "work" };
  return {
    project: project.path,
    outside: project.outside,
    git,
    oldCommit: project.git("rev-parse", "work").trim(),
    async push(script, at) {
      const list = join(project.outside, "changes");
      const asked = at === 0 ? { meanwhile: script } : {};
      const options = { statePath: project.state, project: project.path, session: "s1", configText, tool: "git_push", yes: true, args: { commitId: id, target }, ...asked }; // prettier-ignore
      const beside = watching(project.path, list, at, script);
      const words = ["--import", watcher, join(fixtures, "gate-process.ts"), JSON.stringify(options)];
      const { out } = await endOf(words, { ...process.env, ...beside }, project.path);
      const reply = JSON.parse(out) as { ok: boolean; error?: string };
      return { ...reply, text: out, changes: changesIn(list) };
    },
    async close() {
      gate.close();
      await gate.closed;
    },
  };
}

async function checkSeries(t: TestContext, deed: Deed, changes: number): Promise<Outcome> {
  const series = await openSeries(t);
  let reply = { ok: false, error: "", text: "" };
  const met = await meet(
    series,
    deed,
    async (script, at) => void (reply = { error: "", ...(await series.push(script, at)) }),
    changes,
  );
  const { git, oldCommit } = series;
  const context = `${JSON.stringify(deed)}, ${met.done.length} done: ${reply.text}`;
  assertClean(series);
  if (!reply.ok) {
    assert.ok(["conflict", "changed"].includes(reply.error), context);
    assert.deepEqual(look(series), look(met.twin), context);
    await series.close();
    return "refused";
  }
  const made = git("log", "--reverse", "--format=%s", `${oldCommit}..work`).trim().split("\n");
  const hasCommitted = deed.what === "commit" && met.done.length === 3;
  assert.deepEqual(made, [...subjects, ...(hasCommitted ? ["mine"] : [])], context);
  const tip = hasCommitted ? "work~1" : "work";
  const inCommit = Object.fromEntries(
    git("ls-tree", "-r", "--name-only", tip).trim().split("\n").map((path) => [path, git("show", `${tip}:${path}`)]), // prettier-ignore
  );
  assert.deepEqual(inCommit, landed, `nothing of the person's came along: ${context}`);
  if (hasCommitted) assert.equal(git("diff", "--name-only", tip, "work").trim(), deed.path, context);
  if (deed.what === "rebase" && met.done.length > 0) {
    assert.equal(git("diff", "--name-only").trim(), "clash.txt\nclash.txt", context);
    git("rebase", "--abort");
  }
  assertBoth(filesOf(series.project), deed, met, context);
  const isStaged = deed.what === "stage" && met.done.length === 2;
  const staged = git("diff", "--cached", "--name-only").trim();
  assert.equal(staged, isStaged ? deed.path : "", context);
  await series.close();
  return "landed";
}

async function countOfSeries(t: TestContext): Promise<number> {
  const whole = await openSeries(t);
  const { ok, text: said, changes } = await whole.push("", -1);
  assert.ok(ok, said);
  assert.deepEqual(filesOf(whole.project), landed);
  await whole.close();
  return changes.length;
}

test("a person works while a series lands on the branch that is checked out", { timeout: 1_800_000 }, async (t) => {
  const changes = await countOfSeries(t);
  assert.ok(changes > 15, `${changes} changes`);
  assert.equal(await checkSeries(t, { what: "stage", path: "b.txt", moment: "asked" }, changes), "landed");
  assert.equal(await checkSeries(t, { what: "edit", path: "a.txt", moment: "asked" }, changes), "refused");
  const outcomes = { landed: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(anyDeed, async (deed) => void (outcomes[await checkSeries(t, deed, changes)] += 1)),
    { numRuns: runs(60, 2), endOnFailure: true, examples: [[{ what: "rename", path: "made/new.txt", moment: 0.999 }]] },
  );
  t.diagnostic(JSON.stringify(outcomes));
  if (isFull) assert.ok(outcomes.landed > 5 && outcomes.refused > 5, JSON.stringify(outcomes));
});

interface Here extends Place {
  readonly person: Changer;
  land(script: string, at: number): Promise<{ code: number | null; out: string; changes: string[] }>;
}

function openHere(t: TestContext): Here {
  const person = newChanger(t, { ...old, "clash.txt": "main\n" });
  const git: Git = (...words) => person.git(...words);
  branchesFor(git, (name, content) => person.write(name, content));
  person.bash("fix", work);
  const words = ["changes", "land", "fix", "--here"];
  return {
    person,
    project: person.project,
    outside: person.root,
    git,
    async land(script, at) {
      const list = join(person.root, "changes");
      const beside = watching(person.project, list, at, script);
      if (at !== 0) {
        const env = { ...person.env, ...beside };
        return { ...(await endOf(["--import", watcher, runner, ...words, "--yes"], env, person.project)), changes: changesIn(list) }; // prettier-ignore
      }
      const dialog = openDialog(t, person, words);
      await dialog.until("[y] write this into the project");
      spawnSync("sh", ["-c", script]);
      await dialog.press("y");
      await dialog.until("[Enter] says yes");
      await dialog.press("\r");
      return { code: await dialog.ended, out: dialog.output(), changes: [] };
    },
  };
}

async function checkHere(t: TestContext, deed: Deed, changes: number): Promise<Outcome> {
  const here = openHere(t);
  let ended: { code: number | null; out: string } = { code: null, out: "" };
  const met = await meet(here, deed, async (script, at) => void (ended = await here.land(script, at)), changes);
  const context = `${JSON.stringify(deed)}, ${met.done.length} done: ${ended.out}`;
  assertClean(here);
  assert.ok(ended.code === 0 || ended.code === 1, context);
  const [now, alone] = [look(here), look(met.twin)] as [Record<string, unknown>, Record<string, unknown>];
  assert.deepEqual({ ...now, files: null }, { ...alone, files: null }, `only files change: ${context}`);
  const files = filesOf(here.project);
  const isRebasing = deed.what === "rebase" && met.done.length > 0;
  if (isRebasing) {
    assert.equal(files["clash.txt"], filesOf(met.twin.project)["clash.txt"], context);
    files["clash.txt"] = "work\n";
  }
  assertBoth(files, deed, met, context);
  if (ended.code === 0) return "landed";
  assert.ok(ended.out.includes(deed.path), `what was left is named: ${context}`);
  return "refused";
}

async function countOfHere(t: TestContext): Promise<number> {
  const whole = openHere(t);
  const { code, out, changes } = await whole.land("", -1);
  assert.equal(code, 0, out);
  assert.deepEqual(filesOf(whole.project), landed);
  return changes.length;
}

test("a person works while `changes land --here` writes", { skip: noTerminal, timeout: 1_800_000 }, async (t) => {
  const changes = await countOfHere(t);
  assert.ok(changes > 8, `${changes} changes`);
  assert.equal(await checkHere(t, { what: "edit", path: "a.txt", moment: "asked" }, changes), "refused");
  const outcomes = { landed: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(anyDeed, async (deed) => void (outcomes[await checkHere(t, deed, changes)] += 1)),
    { numRuns: runs(40, 1), endOnFailure: true },
  );
  t.diagnostic(JSON.stringify(outcomes));
  if (isFull) assert.ok(outcomes.landed > 5 && outcomes.refused > 2, JSON.stringify(outcomes));
});
