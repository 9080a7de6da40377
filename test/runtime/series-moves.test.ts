// The person moves files and directories while an agent changes them: a series follows, as git's own cherry-pick does.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { scripted } from "../fixtures/approver.ts";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { isSampled } from "../fixtures/runs.ts";

const text = (name: string) => Array.from({ length: 20 }, (_, at) => `${name} line ${at}\n`).join("");
const files = Object.fromEntries(
  ["a.txt", "src/one.txt", "src/two.txt", "src/deep/three.txt", "src/deep/four.txt", "other/keep.txt"].map((name) => [
    name,
    text(name),
  ]),
);

const commit = (message: string) => `git add -A && git commit -qm '${message}'`;
const edit = (path: string, line = 3) => `sed -i 's/line ${line}$/line ${line}, by the agent/' ${path}`;
const byPerson = (path: string, line = 15) => `sed -i 's/line ${line}$/line ${line}, by the person/' ${path}`;

interface Case {
  readonly name: string;
  readonly person: string;
  /** One commit each. */
  readonly agent: readonly string[];
  /** What the refusal says. Absent if it lands. */
  readonly conflict?: RegExp;
}

const cases: readonly Case[] = [
  { name: "a file", person: "git mv a.txt b.txt", agent: [edit("a.txt")] },
  { name: "a file into a new directory", person: "mkdir new && git mv a.txt new/a.txt", agent: [edit("a.txt")] },
  {
    name: "a file that the person changed as well",
    person: `git mv a.txt b.txt; ${byPerson("b.txt")}`,
    agent: [edit("a.txt"), edit("a.txt", 8)],
  },
  {
    name: "a file, against the same lines",
    person: `git mv a.txt b.txt; ${byPerson("b.txt", 3)}`,
    agent: [edit("a.txt")],
    conflict: /a\.txt: both sides changed the same lines, near line 4/,
  },
  {
    name: "a file, against its deletion",
    person: "git mv a.txt b.txt",
    agent: ["git rm -q a.txt"],
    conflict: /a\.txt: the commit deletes or moves it, and the target has moved it elsewhere/,
  },
  {
    name: "a file, against another move",
    person: "git mv a.txt b.txt",
    agent: ["git mv a.txt c.txt"],
    conflict: /a\.txt: the commit deletes or moves it, and the target has moved it elsewhere/,
  },
  {
    name: "a file, against the same move",
    person: `git mv a.txt b.txt; ${byPerson("b.txt")}`,
    agent: [`git mv a.txt b.txt; ${edit("b.txt")}`],
  },
  {
    name: "a file that is deleted, beside another of the same content that was there before",
    person: "git rm -q src/one.txt",
    agent: [edit("src/one.txt")],
    conflict: /src\/one\.txt: the commit changes it, and the target has deleted it/,
  },
  {
    name: "two files that change places",
    person: "git mv a.txt t; git mv src/one.txt a.txt; git mv t src/one.txt",
    agent: [edit("src/two.txt")],
  },
  {
    name: "a directory, against edits",
    person: "git mv src lib",
    agent: [edit("src/one.txt"), edit("src/deep/three.txt")],
  },
  {
    name: "a directory, against a new file, and an edit of that",
    person: "git mv src lib",
    agent: ["echo new > src/new.txt", "echo more >> src/new.txt", edit("src/two.txt")],
  },
  { name: "a directory, against a new file deeper", person: "git mv src lib", agent: ["echo new > src/deep/new.txt"] },
  {
    name: "a directory, against a new directory in it, which stays where it is",
    person: "git mv src lib",
    agent: ["mkdir src/n; echo new > src/n/new.txt"],
  },
  {
    name: "a directory below another",
    person: "mkdir -p lib && git mv src/deep lib/deeper",
    agent: ["echo new > src/deep/new.txt", edit("src/deep/four.txt"), "echo n > src/stays.txt"],
  },
  {
    name: "a directory whose files the person changed",
    person: `git mv src lib; ${["one.txt", "two.txt", "deep/three.txt", "deep/four.txt"].map((name) => byPerson(`lib/${name}`)).join("; ")}`,
    agent: [edit("src/one.txt"), "echo new > src/new.txt"],
  },
  {
    name: "a directory of which something stays",
    person: "mkdir lib && git mv src/one.txt src/deep lib/",
    agent: ["echo new > src/new.txt", edit("src/one.txt")],
  },
  {
    name: "a directory that went to two places alike",
    person: "mkdir x y && git mv src/deep/three.txt x/ && git mv src/deep/four.txt y/",
    agent: ["echo new > src/deep/new.txt"],
    conflict: /src\/deep\/new\.txt: the target has moved its directory to several places/,
  },
  {
    name: "a directory, against a new file that is there already",
    person: "git mv src lib; echo theirs > lib/new.txt",
    agent: ["echo new > src/new.txt"],
    conflict: /src\/new\.txt: both sides made a file of this name/,
  },
  {
    name: "a directory to the top",
    person: "git mv src/deep/three.txt src/deep/four.txt .",
    agent: ["echo new > src/deep/new.txt", edit("src/deep/three.txt")],
  },
];

/** What git makes of it in a clone: the tree, or null if it finds a conflict. */
function byGit(t: TestContext, project: Project, base: string, agent: readonly string[]): string | null {
  const clone = join(project.outside, "clone");
  const run = (script: string) =>
    execFileSync("sh", ["-ec", script], { cwd: clone, encoding: "utf8", stdio: "pipe", env: gitEnvironment });
  execFileSync("git", ["clone", "-q", project.path, clone]);
  run(`git checkout -q -b agent ${base}`);
  for (const [at, script] of agent.entries()) run(`${script}\n${commit(`step ${at}`)}`);
  run("git checkout -q main");
  try {
    run(`git -c merge.directoryRenames=true cherry-pick ${base}..agent`);
  } catch (error) {
    t.diagnostic(String((error as { stdout?: unknown }).stdout));
    return null;
  }
  return run("git ls-tree -r HEAD");
}

const who = { NAME: "Ann", EMAIL: "ann@example.org" };
const gitEnvironment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: "/dev/null",
  ...Object.fromEntries(
    Object.entries(who).flatMap(([key, value]) => [
      [`GIT_AUTHOR_${key}`, value],
      [`GIT_COMMITTER_${key}`, value],
    ]),
  ),
};

function begin(t: TestContext, hide: readonly string[] = []) {
  const project = makeProject(t, files);
  const person = scripted();
  return { project, person, gate: openDraft(t, project, { hide }, { approvers: [person] }) };
}

function persons(project: Project, script: string): void {
  execFileSync("sh", ["-ec", `${script}\n${commit("moves")}`], { cwd: project.path, env: gitEnvironment });
}

for (const { name, person: moves, agent, conflict } of cases) {
  if (!isSampled(name, `${name.startsWith("a directory") ? "directory" : "file"}, ${conflict === undefined}`)) continue;
  test(`the person moves ${name}`, async (t) => {
    const { project, gate, person } = begin(t);
    const base = project.git("rev-parse", "HEAD").trim();
    for (const [at, script] of agent.entries()) await gate.bash(`${script}\n${commit(`step ${at}`)}`);
    persons(project, moves);
    const control = byGit(t, project, base, agent);
    const staged = await gate.result("git_stage", { commits: "all" });
    const reply = await gate.reply("git_push", { commitId: staged["id"] });
    if (conflict !== undefined) {
      assert.equal(control, null, "git finds a conflict too");
      assert.ok(!reply.ok && reply.error === "conflict", JSON.stringify(reply));
      assert.match(reply.message, conflict);
      assert.equal(person.asked.length, 0);
      return;
    }
    assert.ok(control !== null);
    assert.ok(reply.ok, JSON.stringify(reply));
    assert.equal(project.git("ls-tree", "-r", "sallyport/s1"), control);
    project.git("fsck", "--strict");
  });
}

test("the person sees under which name the agent knew what lands elsewhere", async (t) => {
  const { project, gate, person } = begin(t);
  await gate.bash(`${edit("a.txt")}; echo new > src/new.txt\n${commit("step")}`);
  persons(project, "git mv a.txt b.txt; git mv src lib");
  const staged = await gate.result("git_stage", { commits: "all" });
  await gate.result("git_push", { commitId: staged["id"] });
  const push = person.asked.at(-1)?.action.push;
  assert.deepEqual(
    push?.files.map(({ path }) => path),
    ["b.txt", "lib/new.txt"],
  );
  assert.match(
    push?.warnings.join("\n") ?? "",
    /2 files that land where the target has moved them: b\.txt \(in the commit: a\.txt\), lib\/new\.txt \(in the commit: src\/new\.txt\)/,
  );
});

test("a name that is hidden from the agent is none that a file has moved to", async (t) => {
  for (const [hide, isFollowed] of [
    [["secret*"], false],
    [[], true],
  ] as const) {
    const { project, gate, person } = begin(t, hide);
    await gate.bash(`${edit("a.txt")}\n${commit("step")}`);
    persons(project, "git mv a.txt secret.txt");
    const staged = await gate.result("git_stage", { commits: "all" });
    const reply = await gate.reply("git_push", { commitId: staged["id"] });
    assert.equal(reply.ok, isFollowed, JSON.stringify(reply));
    assert.equal(person.asked.length, isFollowed ? 1 : 0);
    if (!reply.ok) assert.doesNotMatch(JSON.stringify(reply), /secret/);
  }
});
