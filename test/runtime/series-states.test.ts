// A person's repository in any state, and a landing of a session into it: on a branch of its own, on the branch that is checked out, and into
// the files. Nothing of the person's is lost or mixed in, and nothing is left behind.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type Changer, newChanger } from "../fixtures/changed-session.ts";
import fc from "../fixtures/fast-check.ts";
import { isFull, runs } from "../fixtures/runs.ts";

const text = (name: string) => Array.from({ length: 12 }, (_, at) => `${name} ${at}\n`).join("");
const names = ["a.txt", "b.txt", "dir/c.txt", "clash.txt"] as const;
const files = { ".gitignore": "*.log\n", ...Object.fromEntries(names.map((name) => [name, text(name)])) };
type Name = (typeof names)[number];

const changeLine = (person: Changer, name: Name, at: number, by: string) =>
  person.write(name, person.read(name).replace(`${name} ${at}\n`, `${name} ${at}, ${by}\n`));

/** What the person is in the middle of. Each stops at a conflict in clash.txt. */
const busy = {
  nothing: () => {},
  rebase: (person: Changer) => stopped(person, "rebase", "main"),
  merge: (person: Changer) => stopped(person, "merge", "main"),
  "cherry-pick": (person: Changer) => stopped(person, "cherry-pick", "main"),
} as const;
type Busy = keyof typeof busy;

function stopped(person: Changer, ...words: string[]): void {
  assert.throws(() => person.git(...words), Error, "git stops at the conflict");
}

const unfinished = /^(?:rebase-merge|rebase-apply|MERGE_HEAD|CHERRY_PICK_HEAD)$/;

interface State {
  readonly staged: readonly Name[];
  readonly unstaged: readonly Name[];
  readonly untracked: boolean;
  readonly ignored: boolean;
  readonly middle: Busy;
  /** What the agent changes, each in a commit, and whether it makes a file too. */
  readonly agent: readonly Name[];
  readonly makes: boolean;
  readonly how: "branch" | "checked out" | "here";
  /** Whether the agent begins before the person does all that. */
  readonly agentFirst: boolean;
}

const some = fc.uniqueArray(fc.constantFrom<Name>("a.txt", "b.txt", "dir/c.txt"), { maxLength: 2 });
const states: fc.Arbitrary<State> = fc.record({
  staged: some,
  unstaged: some,
  untracked: fc.boolean(),
  ignored: fc.boolean(),
  middle: fc.constantFrom(...(Object.keys(busy) as Busy[])),
  agent: fc.uniqueArray(fc.constantFrom<Name>("a.txt", "b.txt", "dir/c.txt"), { minLength: 1, maxLength: 2 }),
  makes: fc.boolean(),
  how: fc.constantFrom("branch", "checked out", "here"),
  agentFirst: fc.boolean(),
});

interface Seen {
  readonly files: ReadonlyMap<string, string>;
  readonly index: string;
  readonly head: string;
  readonly refs: string;
  readonly middle: readonly string[];
}

function look(person: Changer): Seen {
  const found = readdirSync(person.project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(person.project, ".git/")));
  return {
    files: new Map(found.map((path) => [path.slice(person.project.length + 1), readFileSync(path, "utf8")])),
    index: person.git("ls-files", "--stage"),
    head: readFileSync(join(person.project, ".git/HEAD"), "utf8"),
    refs: person.git("for-each-ref"),
    middle: readdirSync(join(person.project, ".git")).filter((name) => unfinished.test(name)),
  };
}

const agentsLine = 2;
const personsLines = { staged: 6, unstaged: 9 };

function work(person: Changer, { agent, makes }: State): void {
  const edits = agent.map(
    (name) => `sed -i 's/ ${agentsLine}$/ ${agentsLine}, agent/' ${name} && git commit -qm 'edit ${name}' ${name}`,
  );
  const made = makes ? ["mkdir -p made && echo made > made/new.txt && git add made && git commit -qm make made"] : [];
  person.bash("fix", [...edits, ...made].join("\n"));
}

function begin(t: TestContext, state: State): Changer {
  const person = newChanger(t, files);
  // Two branches that do not fit together, so that a merge, a rebase and a cherry-pick stop.
  person.git("checkout", "-q", "-b", "work");
  changeLine(person, "clash.txt", 5, "work");
  person.git("commit", "-qam", "on work");
  person.git("checkout", "-q", "main");
  changeLine(person, "clash.txt", 5, "main");
  person.git("commit", "-qam", "on main");
  person.git("checkout", "-q", "work");
  if (state.agentFirst) work(person, state);
  busy[state.middle](person);
  for (const name of state.staged) changeLine(person, name, personsLines.staged, "staged");
  if (state.staged.length > 0) person.git("add", ...state.staged);
  for (const name of state.unstaged) changeLine(person, name, personsLines.unstaged, "unstaged");
  if (state.untracked) person.write("notes.txt", "untracked\n");
  if (state.ignored) person.write("x.log", "ignored\n");
  if (!state.agentFirst) work(person, state);
  return person;
}

function assertClean(person: Changer): void {
  const left = readdirSync(join(person.project, ".git"), { recursive: true }).map(String);
  assert.deepEqual(left.filter((name) => /\.lock$|tmp_objdir|tmp_pack/.test(name)), [], "no lock, no leftover"); // prettier-ignore
  const beside = readdirSync(person.project, { recursive: true }).map(String);
  assert.deepEqual(beside.filter((name) => name.includes(".sallyport-")), []); // prettier-ignore
  person.git("fsck", "--strict");
}

/** The agent's change alone, on top of what is committed: nothing that the person has not committed comes along. */
function assertLanded(person: Changer, state: State, branch: string, base: string): void {
  const expected = [...state.agent.map((name) => `edit ${name}`), ...(state.makes ? ["make"] : [])];
  assert.deepEqual(person.git("log", "--reverse", "--format=%s", `${base}..${branch}`).trim().split("\n"), expected);
  for (const name of state.agent)
    assert.equal(
      person.git("show", `${branch}:${name}`),
      person.git("show", `${base}:${name}`).replace(`${name} ${agentsLine}\n`, `${name} ${agentsLine}, agent\n`),
    );
  const changed = [...state.agent, ...(state.makes ? ["made/new.txt"] : [])].sort();
  assert.deepEqual(person.git("diff", "--name-only", base, branch).trim().split("\n"), changed);
}

function check(t: TestContext, state: State): "landed" | "refused" {
  const person = begin(t, state);
  const before = look(person);
  const base = person.git("rev-parse", "HEAD").trim();
  const isBusy = state.middle !== "nothing";
  assert.equal(before.middle.length > 0, isBusy, "the control: git is in the middle of it");
  const flags =
    state.how === "here" ? ["--here"] : ["--commits", "--branch", state.how === "branch" ? "landed" : "work"];
  const done = person.changes("land", "fix", ...flags, "--yes");
  const after = look(person);
  assertClean(person);
  assert.deepEqual([after.head, after.middle], [before.head, before.middle]);
  if (state.how === "here") {
    assert.deepEqual([after.index, after.refs], [before.index, before.refs]);
    assert.equal(done.code, 0, done.out + done.err);
    const expected = new Map(before.files);
    for (const name of state.agent)
      expected.set(
        name,
        (before.files.get(name) ?? "").replace(`${name} ${agentsLine}\n`, `${name} ${agentsLine}, agent\n`),
      );
    if (state.makes) expected.set("made/new.txt", "made\n");
    assert.deepEqual(after.files, expected);
    return "landed";
  }
  const touched = [...state.staged, ...state.unstaged].some((name) => state.agent.includes(name));
  if (state.how === "checked out" && (isBusy || touched)) {
    assert.equal(done.code, 1, done.out);
    assert.deepEqual(after, before, "nothing has changed");
    return "refused";
  }
  assert.equal(done.code, 0, done.out + done.err);
  const branch = state.how === "branch" ? "landed" : "work";
  assertLanded(person, state, branch, base);
  if (state.how === "branch") {
    assert.deepEqual([after.files, after.index], [before.files, before.index]);
    return "landed";
  }
  const differs = [...after.files]
    .filter(([name, content]) => before.files.get(name) !== content)
    .map(([name]) => name);
  assert.deepEqual(differs.sort(), [...state.agent, ...(state.makes ? ["made/new.txt"] : [])].sort());
  for (const name of state.staged)
    assert.match(person.git("show", `:${name}`), / 6, staged\n/, "what the person has staged is staged");
  return "landed";
}

const plain: State = {
  staged: ["a.txt"],
  unstaged: ["b.txt"],
  untracked: true,
  ignored: true,
  middle: "nothing",
  agent: ["dir/c.txt"],
  makes: true,
  how: "checked out",
  agentFirst: true,
};

test("the control: without anything in the way, the same landing on the checked-out branch goes through", (t) => {
  assert.equal(check(t, plain), "landed");
});

for (const [at, middle] of (["rebase", "merge", "cherry-pick"] as const).entries())
  for (const [way, how] of (["checked out", "branch", "here"] as const).entries()) {
    if (!isFull && at !== way) continue; // each state and each landing once
    test(`in the middle of a ${middle}: ${how}`, (t) => {
      assert.equal(check(t, { ...plain, middle, how }), how === "checked out" ? "refused" : "landed");
    });
  }

test("after a landing in the middle of a rebase, the person finishes it with git", (t) => {
  const state: State = { ...plain, staged: [], unstaged: [], middle: "rebase", how: "branch" };
  const person = begin(t, state);
  assert.equal(person.changes("land", "fix", "--commits", "--branch", "landed", "--yes").code, 0);
  person.write("clash.txt", text("clash.txt"));
  person.git("add", "clash.txt");
  execFileSync("git", ["-C", person.project, "-c", "core.editor=true", "rebase", "--continue"], { env: person.env });
  assert.equal(existsSync(join(person.project, ".git/rebase-merge")), false);
  assert.equal(person.git("rev-parse", "--abbrev-ref", "HEAD").trim(), "work");
  assertClean(person);
});

test("any state, any landing: nothing lost, nothing mixed, nothing left", { timeout: 1_800_000 }, (t) => {
  fc.assert(fc.property(states, (state) => void check(t, state)), { numRuns: runs(80, 3), endOnFailure: true }); // prettier-ignore
});
