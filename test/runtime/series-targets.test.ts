// A series of commits lands in every kind of target, under the ids that were shown.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { GitTarget } from "../../src/git/target/target.ts";
import { scripted, type ScriptedApprover } from "../fixtures/approver.ts";
import { type DraftGate, makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { git } from "../fixtures/git.ts";
import { seedFiles } from "../fixtures/git-gates.ts";
import { githubHost, httpHost, type RemoteHost } from "../fixtures/remote-repositories.ts";
import { assertShownIsLanded } from "../fixtures/shown-landed.ts";

const [edited = ""] = Object.keys(seedFiles);

/** With the person's environment that the host needs while the gate is opened. */
function open(
  t: TestContext,
  project: Project,
  host: RemoteHost | null,
  person: ScriptedApprover,
  session = "s1",
): DraftGate {
  const names = Object.keys(host?.environment ?? {});
  const before = names.map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, host?.environment);
  try {
    const git = host?.githubUrl == null ? {} : { git: { github_url: host.githubUrl } };
    const more = { workspace: { kind: "draft" }, ...git };
    return openDraft(
      t,
      project,
      { more, paths: [{ path: project.outside, mode: "r" }] },
      { approvers: [person], session },
    );
  } finally {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
}

const work = `
  echo first >> ${edited} && git commit -qam 'First line'
  printf '\\000\\001' > data.bin && mkdir deep && echo x > deep/x && git add -A && git commit -qm 'Data'
  git commit -q --allow-empty -m 'Says something'
  git mv deep/x deep/y && echo second >> ${edited} && git commit -qam 'Move'
`;

/** `read` runs git in a repository that has what landed. */
async function landAndCompare(
  gate: DraftGate,
  person: ScriptedApprover,
  target: GitTarget,
  base: string,
  read: () => Promise<string>,
): Promise<void> {
  const staged = await gate.result("git_stage", { commits: "all" });
  const pushed = await gate.result("git_push", { commitId: staged["id"], target: { ...target, branch: "reports" } });
  const push = person.asked.at(-1)?.action.push;
  const ids = push?.commits?.map(({ commit }) => commit) ?? [];
  assert.deepEqual(pushed["commits"], ids);
  const repository = await read();
  assert.equal(
    git(repository, ["log", "--reverse", "--format=%s", `${base}..reports`]),
    "First line\nData\nSays something\nMove\n",
  );
  assert.deepEqual(
    git(repository, ["rev-list", "--reverse", `${base}..reports`])
      .trim()
      .split("\n"),
    ids,
  );
  assert.deepEqual(
    git(repository, ["log", "--reverse", "-z", "--format=%B", `${base}..reports`])
      .split("\0")
      .filter(Boolean),
    push?.commits?.map(({ message }) => message),
  );
  assert.match(git(repository, ["show", `reports:${edited}`]), /first\nsecond\n$/);
  assert.equal(git(repository, ["show", "reports:deep/y"]), "x\n");
  git(repository, ["fsck", "--strict"]);
}

async function openHttp(t: TestContext, project: Project): Promise<RemoteHost> {
  const directory = join(project.outside, "host");
  mkdirSync(directory, { mode: 0o700 });
  const host = await httpHost(directory, "correct-horse-4711-battery");
  t.after(() => host.close());
  return host;
}

interface Place {
  readonly host: RemoteHost | null;
  readonly target: GitTarget;
  /** What git itself can read of it. */
  readonly repository: string;
}

const places: Readonly<Record<string, (t: TestContext, project: Project) => Promise<Place>>> = {
  "a bare repository": (_, project) => {
    const repository = join(project.outside, "bare.git");
    execFileSync("git", ["clone", "--quiet", "--bare", project.path, repository]);
    return Promise.resolve({ host: null, target: { type: "local-bare", path: repository }, repository });
  },
  "a remote with a password": async (t, project) => {
    const host = await openHttp(t, project);
    const repository = await host.repository();
    return { host, target: repository.target, repository: await repository.copy("main") };
  },
};

for (const [name, openPlace] of Object.entries(places))
  test(`${name}: what another has landed meanwhile, and merges`, async (t) => {
    const project = makeProject(t, seedFiles);
    const { host, target, repository } = await openPlace(t, project);
    const person = scripted();
    const gate = open(t, project, host, person);
    const other = open(t, project, host, person, "other");
    const head = (branch: string) => git(repository, ["rev-parse", branch]).trim();
    const stage = async (one: DraftGate, script: string, args: object) => {
      await one.bash(script);
      return (await one.result("git_stage", args))["id"];
    };
    /** Lands the newest commits of a session. What was shown of them is what landed. */
    const land = async (one: DraftGate, branch: string, script: string, count = 1) => {
      const base = git(repository, ["for-each-ref", `refs/heads/${branch}`]) === "" ? "main" : head(branch);
      const commitId = await stage(one, script, { commits: `HEAD~${count}..HEAD` });
      await one.result("git_push", { commitId, target: { ...target, branch } });
      assertShownIsLanded(repository, person.asked.at(-1), `${base}..${branch}`);
    };

    // Both have changed the same line: nothing lands, and nobody is asked whether it may.
    await land(other, "reports", "echo '# Theirs' > README.md; git commit -qam theirs");
    const clash = await stage(gate, "echo '# Ours' > README.md; git commit -qam ours; echo n > n; git add n; git commit -qm n", { commits: "all" }); // prettier-ignore
    const before = head("reports");
    // The first push of a session asks whether it may reach the remote at all.
    const pushes = () => person.asked.filter(({ action }) => action.push !== undefined).length;
    const asked = pushes();
    const reply = await gate.reply("git_push", { commitId: clash, target: { ...target, branch: "reports" } });
    assert.ok(!reply.ok && reply.error === "conflict", JSON.stringify(reply));
    assert.match(reply.message, /\(ours\) does not fit .*README\.md: both sides changed the same lines, near line 1/);
    assert.deepEqual([head("reports"), pushes()], [before, asked]);

    // One has moved a directory, the other changes a file in it.
    await land(other, "moved", "git mv templates layouts; git commit -qm move");
    const edits =
      "echo more >> templates/chart.svg; git commit -qam edit; echo end >> templates/report.md; git commit -qam end";
    await land(gate, "moved", edits, 2);
    assert.equal(git(repository, ["show", "moved:layouts/chart.svg"]), "<svg/>\nmore\n");
    assert.equal(git(repository, ["ls-tree", "--name-only", "moved", "templates/"]), "");

    // A merge lands as one commit.
    const merging = open(t, project, host, person, "merging");
    const merged = await stage(
      merging,
      `git checkout -qb side; echo side > side.txt; git add -A; git commit -qm side
       git checkout -q -; echo main > main.txt; git add -A; git commit -qm main; git merge -q --no-edit side`,
      { commits: "all", message: "Both files" },
    );
    await merging.result("git_push", { commitId: merged, target: { ...target, branch: "merged" } });
    assertShownIsLanded(repository, person.asked.at(-1), "main..merged");
    assert.equal(git(repository, ["log", "--format=%s", "main..merged"]), "Both files\n");
    assert.equal(git(repository, ["diff", "--name-only", "main", "merged"]), "main.txt\nside.txt\n");
  });

test("a bare repository on this machine", async (t) => {
  const project = makeProject(t, seedFiles);
  const person = scripted();
  const bare = join(project.outside, "bare.git");
  execFileSync("git", ["clone", "--quiet", "--bare", project.path, bare]);
  const gate = open(t, project, null, person);
  await gate.bash(work);
  await landAndCompare(gate, person, { type: "local-bare", path: bare }, "main", () => Promise.resolve(bare));
});

for (const [name, start] of [
  ["a remote over HTTP with a password", (directory: string) => httpHost(directory, "correct-horse-4711-battery")],
  ["GitHub's API", (directory: string) => githubHost(directory, "a-token-that-nobody-may-see-0815")],
] as const)
  test(name, async (t) => {
    const project = makeProject(t, seedFiles);
    const directory = join(project.outside, "host");
    mkdirSync(directory, { mode: 0o700 });
    const host = await start(directory);
    assert.ok(typeof host !== "string", typeof host === "string" ? host : "");
    t.after(() => host.close());
    const person = scripted();
    const gate = open(t, project, host, person);
    const repository = await host.repository();
    await gate.bash(work);
    const base = String(await repository.head("main"));
    await landAndCompare(gate, person, repository.target, base, () => repository.copy("reports"));
    // The branch has moved since the person looked: nothing lands over it.
    await gate.bash("echo third >> data.bin && git commit -qam third");
    const moving: Promise<string>[] = [];
    person.says = (question) => {
      if (question.action.push !== undefined) moving.push(repository.move("reports"));
      return {};
    };
    const late = await gate.result("git_stage", { commits: "all" });
    const reply = await gate.reply("git_push", {
      commitId: late["id"],
      target: { ...repository.target, branch: "reports" },
    });
    const [moved] = await Promise.all(moving);
    assert.ok(moved !== undefined);
    assert.equal(!reply.ok && reply.error, "conflict", JSON.stringify(reply));
    assert.equal(await repository.head("reports"), moved);
    person.says = () => ({});
    await followMove(gate, open(t, project, host, person, "other"), { ...repository.target, branch: "moved" });
    assert.equal(git(await repository.copy("moved"), ["show", "moved:templates/picture.svg"]), "<svg/>\nmore\n");
  });

/** Somebody else has moved the file that one changes. */
async function followMove(gate: DraftGate, other: DraftGate, target: GitTarget): Promise<void> {
  const land = async (one: DraftGate, script: string) => {
    await one.bash(`${script} && git add -A && git commit -qm step`);
    const staged = await one.result("git_stage", { commits: "HEAD~1..HEAD" });
    await one.result("git_push", { commitId: staged["id"], target });
  };
  await land(other, "git mv templates/chart.svg templates/picture.svg");
  await land(gate, "echo more >> templates/chart.svg");
}
