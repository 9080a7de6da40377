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
