import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { workerExample } from "../../../scripts/worker-reference.ts";
import { newCliUser, type CliUser } from "../../fixtures/cli.ts";
import { commit, git, makeRepository } from "../../fixtures/git.ts";

test("worker check says in plain words what a file means, and makes nothing", (t) => {
  const person = newCliUser(t, null);
  writeFileSync(join(person.project, "w.md"), workerExample);
  const { code, out, err } = person.run(["worker", "check", "w.md"]);
  assert.deepEqual([code, err], [0, ""]);
  const text = out.replace(/\n {12}/g, " ").replaceAll(person.root, "ROOT");
  assert.equal(
    text,
    `In order: report-writer
  does      Writes analysis reports from the templates of this project
  pushes    to local ROOT/project, branch reports, unless a push says otherwise
  pulls     templates/ from local ROOT/project, its default branch (in the way: fail)
  pulls     data/*.csv, data/README.md from github octocat/figures, branch main (in the way: keep-both)
  tools     of the agent's, only: Bash, git_*, *_file, *_files
  network   none
  limits    at most memoryMb 256
  rules     1, with 2 examples that hold
`,
  );
});

test("worker check as JSON, in order and not", (t) => {
  const person = newCliUser(t, null);
  const file = join(person.project, "w.md");
  writeFileSync(file, workerExample);
  const good = JSON.parse(person.run(["worker", "check", file, "--json"]).out) as Record<string, unknown>;
  assert.deepEqual(Object.keys(good), ["ok", "worker", "errors"]);
  assert.deepEqual([good["ok"], good["errors"]], [true, []]);
  const { git, policy } = good["worker"] as { git: { default_target: object }; policy: { rules: object[] } };
  assert.deepEqual(git.default_target, { type: "local", path: person.project, branch: "reports" });
  assert.equal(policy.rules.length, 1);
  writeFileSync(file, workerExample.replace("decide: deny", "decide: allow"));
  const bad = person.run(["worker", "check", file, "--json"]);
  assert.deepEqual([bad.code, bad.err], [1, ""]);
  const { ok, worker, errors } = JSON.parse(bad.out) as {
    ok: boolean;
    worker: null;
    errors: { line: number; column: number; message: string }[];
  };
  assert.deepEqual([ok, worker, errors.length], [false, null, 1]);
  assert.deepEqual([errors[0]?.line, errors[0]?.column], [23, 15]);
  assert.match(errors[0]?.message ?? "", /a worker can only narrow/);
});

test("worker check shows where a file is wrong, and no control characters of it", (t) => {
  const person = newCliUser(t, null);
  writeFileSync(join(person.project, "w.md"), '---\nname: w\ndescription: "a\\e[2Jb"\ncolour: "x"\n---\n');
  const { code, out } = person.run(["worker", "check", "w.md"]);
  assert.equal(code, 1);
  assert.match(out, /^w\.md:4:1: colour: unknown key\. Known here: name, /);
  assert.match(out, /\nNot in order: 1 error\.\n$/);
  writeFileSync(join(person.project, "w.md"), '---\nname: w\ndescription: "a\\e[2Jb"\n---\n');
  const shown = person.run(["worker", "check", "w.md"]).out;
  assert.equal(shown.includes("\u001b"), false);
  assert.match(shown, /a\\x1b\[2Jb/);
  assert.equal(person.run(["worker", "check"]).code, 2);
  assert.equal(person.run(["worker", "check", "none.md"]).code, 1);
});

interface Reply {
  readonly ok: boolean;
  readonly error?: string;
  readonly message?: string;
  readonly result?: Record<string, unknown>;
}

const workerConfig = `version: 1
agents:
  default:
    tool_grants: [Exec, Bash, "git_*", "*_file", "*_files"]
    fs_grants:
      - { path: /usr, mode: r }
      - { path: ROOT/project, mode: r }
workspace: { kind: memory }
policy:
  rules:
    - { decide: allow, effect: push, target: ROOT/project, branch: reports }
`;

/** With a repository of templates as their project, and a worker file for it. */
function personWithWorker(t: TestContext, frontmatter: string): CliUser & { readonly worker: string } {
  const person = newCliUser(t, null);
  writeFileSync(person.configFile, workerConfig.replaceAll("ROOT", person.root));
  writeFileSync(join(person.home, ".gitconfig"), "[user]\n\tname = Grace\n\temail = grace@example.org\n");
  makeRepository(person.project, { isUnborn: true });
  commit(person.project, "first", { "templates/a.md": "# A\n", "templates/b.md": "# B\n", "data/x.csv": "1,2\n" });
  const worker = join(person.root, "w.md");
  writeFileSync(worker, `---\nname: w\ndescription: d\n${frontmatter}---\n`);
  return { ...person, worker };
}

function call(
  person: CliUser & { worker: string },
  tool: string,
  args: object = {},
): { reply: Reply; err: string; code: number | null } {
  const { code, out, err } = person.run(["call", "--worker", person.worker, tool, JSON.stringify(args)]);
  assert.match(out, /^[^\n]+\n$/, err);
  return { reply: JSON.parse(out) as Reply, err, code };
}

test("call --worker: a push without a target goes to the worker's own", (t) => {
  const person = personWithWorker(t, "git:\n  default_target: { type: local, path: ., branch: reports }\n");
  assert.equal(call(person, "write_file", { path: "report.md", content: "# Q4\n" }).code, 0);
  const { id } = call(person, "git_stage", { files: ["report.md"], message: "Report" }).reply.result ?? {};
  const without = person.run(["call", "git_push", JSON.stringify({ commitId: id })]);
  assert.match((JSON.parse(without.out) as Reply).message ?? "", /^target: is missing/);
  const { reply, code } = call(person, "git_push", { commitId: id });
  assert.deepEqual([code, reply.result?.["branch"], reply.result?.["target"]], [0, "reports", person.project]);
  assert.equal(git(person.project, ["show", "reports:report.md"]), "# Q4\n");
  assert.equal(git(person.project, ["rev-parse", "reports"]).trim(), reply.result?.["commitSha"]);
});

test("call --worker: what it pulls is there before the call, and each pull is told on stderr", (t) => {
  const source = "source: { type: local, path: . }";
  const person = personWithWorker(
    t,
    `git:\n  auto_pull:\n    - { path: templates/, ${source} }\n    - { paths: [none/, "no*.md"], ${source} }\n    - { path: data/x.csv, ${source} }\n`,
  );
  const { reply, err, code } = call(person, "read_file", { path: "templates/b.md" });
  assert.deepEqual([code, reply.result?.["content"]], [0, "# B\n"]);
  const lines = err.trimEnd().split("\n");
  assert.equal(lines[0], "pulled templates/ (1 of 3)");
  assert.match(lines[1] ?? "", /^could not pull none\/, no\*\.md \(2 of 3\): paths: nothing in the repository matches/);
  assert.deepEqual([lines[2], lines.length], ["pulled data/x.csv (3 of 3)", 3]);
  const dry = person.run(["call", "--worker", person.worker, "--dry-run", "read_file", '{"path":"templates/b.md"}']);
  assert.equal(dry.err, "");
});

test("call --worker: its grants and rules narrow, and open nothing", (t) => {
  const person = personWithWorker(
    t,
    [
      'tool_grants: [Bash, Python, "git_*", "write_*"]',
      "fs_grants: [{ path: /usr, mode: r }, { path: ~/, mode: rw }]",
      "git: { default_target: { type: local, path: ., branch: reports } }",
      "policy: { rules: [{ decide: deny, effect: push, branch: reports, because: not before Friday }] }",
      "",
    ].join("\n"),
  );
  assert.equal(call(person, "Exec", { argv: ["/usr/bin/true"] }).reply.error, "permission_denied");
  assert.equal(call(person, "Python", { code: "1" }).reply.error, "permission_denied", "the agent has no Python");
  assert.equal(call(person, "read_file", { path: "a" }).reply.error, "permission_denied");
  const plain = JSON.parse(person.run(["call", "Exec", '{"argv":["/usr/bin/true"]}']).out) as Reply;
  assert.equal(plain.ok, true, "control: without the worker the agent has Exec");
  assert.equal(
    call(person, "git_pull", { source: { type: "local", path: "." }, paths: ["."] }).reply.error,
    "fs_denied",
  );
  writeFileSync(join(person.home, "kept.txt"), "kept from agents\n");
  const seen = call(person, "Bash", { script: "cat ~/kept.txt; ls /usr >/dev/null && echo in" }).reply;
  assert.doesNotMatch(JSON.stringify(seen), /kept from agents/);

  const open = personWithWorker(
    t,
    "git: { default_target: { type: local, path: ., branch: reports } }\npolicy: { rules: [{ decide: deny, effect: push, branch: reports, because: not before Friday }] }\n",
  );
  call(open, "write_file", { path: "r.md", content: "# R\n" });
  const { id } = call(open, "git_stage", { files: ["r.md"], message: "R" }).reply.result ?? {};
  const { reply, code } = call(open, "git_push", { commitId: id });
  assert.deepEqual([code, reply.error], [1, "permission_denied"]);
  assert.match(JSON.stringify(reply), /not before Friday/);
});

test("call --worker: a file that is not in order ends with 2, says where, and nothing runs", (t) => {
  const person = personWithWorker(t, "");
  writeFileSync(
    person.worker,
    "---\nname: w\ndescription: d\ngit:\n  default_target: { type: local, path: ., brunch: x }\n---\n",
  );
  const done = person.run(["call", "--worker", person.worker, "write_file", '{"path":"a","content":"x"}']);
  assert.deepEqual([done.code, done.out], [2, ""]);
  assert.match(done.err, /w\.md:5:\d+: git\.default_target\.brunch: unknown key/);
  const missing = person.run(["call", "--worker", "none.md", "list_files"]);
  assert.deepEqual([missing.code, missing.out], [2, ""]);
  assert.match(missing.err, /none\.md/);
  assert.equal((JSON.parse(person.run(["call", "read_file", '{"path":"a"}']).out) as Reply).error, "not_found");
});

test("call --worker: what was pulled once in a session is not pulled over the agent's work", (t) => {
  const source = "source: { type: local, path: . }";
  const person = personWithWorker(
    t,
    `git:\n  auto_pull:\n    - { path: templates/, ${source}, on_conflict: overwrite }\n    - { path: data/, ${source}, on_conflict: keep-both }\n    - { path: later/, ${source} }\n`,
  );
  assert.equal(call(person, "write_file", { path: "templates/a.md", content: "# mine\n" }).code, 0);
  assert.equal(call(person, "write_file", { path: "data/x.csv", content: "3,4\n" }).code, 0);
  commit(person.project, "later", { "later/c.md": "# C\n" });
  const { reply, err } = call(person, "read_file", { path: "templates/a.md" });
  assert.equal(reply.result?.["content"], "# mine\n");
  assert.equal(err, "pulled later/ (3 of 3)\n", "what could not be pulled is tried again");
  const listed = call(person, "list_files").reply.result?.["files"] as { path: string }[] | string[];
  assert.doesNotMatch(JSON.stringify(listed), /conflict/);
});
