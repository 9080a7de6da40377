// T25: what neither a rule nor a person's yes opens: other tools, hidden files, the gate's own places, the kernel's.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import test, { type TestContext } from "node:test";
import {
  allowAll,
  type Approver,
  createRegistry,
  type Gate,
  registerExecTool,
  registerShellTool,
} from "../../src/index.ts";
import type { RuleText } from "../../src/policy/rule.ts";
import { scripted } from "../fixtures/approver.ts";
import { type Grants, makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { configWithPolicy } from "../fixtures/policy.ts";
import { bare, bash, exec, ran, refused } from "../fixtures/run.ts";

const everything: readonly RuleText[] = (
  ["tool", "run", "read", "write", "network", "privilege", "interactive", "destroy"] as const
).map((effect) => ({ decide: "allow", effect }));

interface Bench {
  readonly directories: TestDirectories;
  readonly open: (rules: readonly RuleText[], approvers: readonly Approver[], grants?: Grants) => Gate;
}

function newBench(t: TestContext): Bench {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const registry = createRegistry();
  registerExecTool(registry);
  registerShellTool(registry);
  return {
    directories,
    open(rules, approvers, grants = {}) {
      const gate = openGate(directories, grants, {
        registry,
        approvers,
        configText: configWithPolicy(directories, { rules }, grants),
      });
      t.after(() => gate.close());
      return gate;
    },
  };
}

test("the gate's record, its key and its rules, and what lies above them, stay closed", async (t) => {
  const { directories, open } = newBench(t);
  const approver = scripted();
  for (const rules of [[], everything]) {
    const gate = open(rules, [approver, allowAll]);
    for (const cwd of [
      directories.state,
      `${directories.state}/box`,
      `${directories.base}/config/sallyport`,
      directories.base,
      "/",
    ]) {
      assert.equal(refused(await exec(gate, ["/bin/ls"], { cwd })).error, "fs_denied", cwd);
    }
    assert.deepEqual(approver.asked, [], "nobody is asked");
    ran(await exec(gate, ["/bin/ls"], { cwd: directories.outside })); // control: what is not closed, a rule or a person opens
    approver.asked.length = 0;
  }
  assert.ok(bare(["/bin/ls", directories.state]).stdout.includes("sqlite"), "control: there is a log to be seen");
});

test("/proc, /sys and /dev stay the box's own", async (t) => {
  const { open } = newBench(t);
  const approver = scripted();
  for (const rules of [[], everything]) {
    const gate = open(rules, [approver]);
    for (const cwd of ["/proc", "/proc/1", "/sys", "/sys/kernel", "/dev", "/dev/shm"]) {
      const reply = await exec(gate, ["/bin/pwd"], { cwd });
      assert.ok(!reply.ok && ["fs_denied", "invalid_args"].includes(reply.error), cwd);
    }
  }
  assert.deepEqual(approver.asked, []);
});

test("a hidden file stays hidden", async (t) => {
  const { directories, open } = newBench(t);
  mkdirSync(`${directories.root}/keys`);
  writeFileSync(`${directories.root}/keys/a.pem`, "canary");
  const grants: Grants = {
    paths: [
      { path: "/usr", mode: "r" },
      { path: directories.root, mode: "rw", hide: ["keys"] },
    ],
  };
  const approver = scripted();
  for (const rules of [[], everything]) {
    const gate = open(rules, [approver, allowAll], grants);
    assert.equal(refused(await exec(gate, ["/bin/ls"], { cwd: `${directories.root}/keys` })).error, "fs_denied");
    const { stdout, exit_code } = await bash(
      gate,
      `cat ${directories.root}/keys/a.pem; cat < ${directories.root}/keys/a.pem`,
    );
    assert.ok(exit_code !== 0 && !stdout.includes("canary"));
  }
  assert.deepEqual(approver.asked, []);
  assert.equal(bare(["/bin/cat", `${directories.root}/keys/a.pem`]).stdout, "canary", "control");
});

test("what a rule hides, a yes for the directory around it does not show", async (t) => {
  const { directories, open } = newBench(t);
  writeFileSync(`${directories.outside}/secret`, "canary");
  writeFileSync(`${directories.outside}/open`, "fine");
  const gate = open([{ decide: "deny", effect: "read", path: `${directories.outside}/secret` }], [scripted()]);
  const { stdout } = ran(await exec(gate, ["/bin/sh", "-c", "cat open; cat secret"], { cwd: directories.outside }));
  assert.equal(stdout, "fine");
  assert.equal(readFileSync(`${directories.outside}/secret`, "utf8"), "canary", "control: the file is there");
});

test("a tool that is not granted stays so", async (t) => {
  const { open, directories } = newBench(t);
  const approver = scripted();
  const gate = open(everything, [approver, allowAll], { tools: ["Exec"] });
  assert.equal(
    refused(await gate.call({ tool: "Shell", args: { command: "pwd", work_dir: directories.root } })).error,
    "permission_denied",
  );
  assert.deepEqual(approver.asked, []);
  const control = open(everything, [approver], { tools: ["Exec", "Shell"] });
  assert.ok((await control.call({ tool: "Shell", args: { command: "pwd", work_dir: directories.root } })).ok);
});

test("a script's own git push stays denied: git_push is the one way out", async (t) => {
  const { open, directories } = newBench(t);
  const approver = scripted();
  const gate = open(
    [...everything, { decide: "allow", effect: "push", target: "origin", branch: "main" }],
    [approver, allowAll],
  );
  const said = refused(await exec(gate, ["/usr/bin/git", "-C", directories.root, "push", "origin", "main"]));
  assert.equal(said.error, "permission_denied");
  assert.match(said.hint ?? "", /git_push/);
  assert.deepEqual(approver.asked, []);
});
