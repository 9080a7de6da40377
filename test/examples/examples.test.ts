// The examples that run as programs, each as its own first lines say, on throw-away repositories.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";
import { newCliUser, runner } from "../fixtures/cli.ts";
import { commit, git, makeRepository } from "../fixtures/git.ts";

const examples = join(import.meta.dirname, "../../examples");
const ownPackage = join(import.meta.dirname, "../fixtures/own-package.ts");

function runExample(name: string, args: readonly string[], env: Record<string, string>, cwd: string) {
  const words = ["--import", ownPackage, join(examples, name), ...args];
  return spawnSync(process.execPath, words, { cwd, env, encoding: "utf8", timeout: 60_000 });
}

test("a job that nobody watches pushes what the policy allows, and nothing else", (t) => {
  const person = newCliUser(t, null);
  const repo = makeRepository(join(person.root, "docs"), { isUnborn: true });
  commit(repo, "first", { "README.md": "# Docs  \n\ntext\t\n", "main.c": "int x;  \n" });
  const before = git(repo, ["rev-parse", "main"]);
  const { status, stdout, stderr } = runExample("ci-policy-only/run.ts", [repo], person.env, person.project);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^Bash: net_denied: /m);
  assert.match(stdout, /^git_push: no_approver: /m);
  assert.match(stdout, /^git_push: done$/m);
  assert.match(stdout, /^The record has \d+ entries and is whole\.$/m);
  assert.equal(git(repo, ["rev-parse", "main"]), before);
  assert.equal(git(repo, ["show", "agent/tidy:README.md"]), "# Docs\n\ntext\n");
  assert.equal(git(repo, ["diff", "--name-only", "main", "agent/tidy"]), "README.md\n");
  assert.match(git(repo, ["log", "-1", "--format=%an", "agent/tidy"]), /^CI agent\n$/);
});

test("the team's policy is in order, and decides as its comments say", (t) => {
  const person = newCliUser(t, null);
  const config = join(examples, "team-policy/config.yaml");
  const checked = person.run(["policy", "check", "--json", "--config", config]);
  assert.equal(checked.code, 0, checked.out + checked.err);
  const { ok, rules, examples: tried, warnings } = JSON.parse(checked.out);
  assert.deepEqual({ ok, warnings }, { ok: true, warnings: [] });
  assert.ok(rules >= 8 && tried >= 15, checked.out);
  const called = (tool: string, args: object, agent = "default") =>
    person.run(["call", tool, JSON.stringify(args), "--config", config, "--agent", agent]).out;
  assert.match(called("Bash", { script: "timeout 9 npm publish" }), /published by the release job/);
  assert.match(called("Bash", { script: "terraform apply -auto-approve" }), /go through the plan job/);
  assert.match(called("Bash", { script: "echo plain" }), /"ok":true/);
  assert.match(called("Bash", { script: "true" }, "reviewer"), /"error":"permission_denied"/);
});

test("an MCP client of one's own: tools, a call that is done, a call that is refused", (t) => {
  const person = newCliUser(t, null);
  const server = [process.execPath, runner, "mcp", "--project", person.project];
  const { status, stdout, stderr } = runExample("mcp-client.ts", server, person.env, person.project);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^read_file: Read a file \(reads only\)$/m);
  assert.doesNotMatch(stdout, /^Exec: /m, "Exec is not granted unless it is written");
  assert.match(stdout, /Bash answered:\nexit code 0 .*\nhello from the workspace\n/);
  assert.match(stdout, /Bash was refused:\npermission_denied: /);
});
