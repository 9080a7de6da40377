// Where programs start: whether the directory is there is told to nobody who may not see it, and before anything starts to
// everybody who may.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import {
  createRegistry,
  type Gate,
  registerBashTool,
  registerExecTool,
  registerPythonTool,
  registerShellTool,
} from "../../src/index.ts";
import { scripted } from "../fixtures/approver.ts";
import { makeTestDirectories, openGate, resultOf } from "../fixtures/gate.ts";
import { refused } from "../fixtures/run.ts";

const directories = makeTestDirectories();
const registry = createRegistry();
for (const register of [registerExecTool, registerShellTool, registerBashTool, registerPythonTool]) register(registry);
const ann = scripted();
const grants = { tools: ["*"], policy: {} };
const asking = openGate(directories, grants, { registry, approvers: [ann] });
const alone = openGate(directories, grants, { registry });
after(() => {
  asking.close();
  alone.close();
  directories.remove();
});

const file = join(directories.outside, "file");
writeFileSync(file, "");

const ways: [tool: string, field: string, args: Record<string, unknown>][] = [
  ["Exec", "cwd", { argv: ["/bin/pwd"] }],
  ["Bash", "cwd", { script: "pwd" }],
  ["Python", "cwd", { code: "import os; print(os.getcwd())" }],
  ["Shell", "work_dir", { command: "pwd" }],
  ["Shell", "work_dir", { command: "type ls" }],
];

for (const [tool, field, args] of ways) {
  const start = (gate: Gate, at: string) => gate.call({ tool, args: { ...args, [field]: at } });

  test(`${tool} ${JSON.stringify(args)}: after a yes, a place that is none is named, and nothing starts`, async () => {
    const none = [
      join(directories.outside, "none"),
      `${directories.outside}/a\nb`,
      `${file}/below`,
      `/${"x".repeat(300)}`,
    ];
    for (const [path, reason] of [
      ...none.map((path) => [path, `there is no directory ${JSON.stringify(path)}`] as const),
      [file, `${JSON.stringify(file)} is not a directory`] as const,
      ["/etc/hostname", '"/etc/hostname" is not a directory'] as const,
    ]) {
      ann.asked.length = 0;
      const reply = refused(await start(asking, path));
      assert.deepEqual([reply.error, reply.message], ["invalid_args", `${field}: ${reason}.`]);
      assert.equal(reply.hint, "Give a directory that exists.");
      assert.equal(ann.asked.length, 1, "only after the yes");
    }
    assert.deepEqual([...asking.journal.list({ event: "tool.call.dispatched" })], []);
  });

  test(`${tool} ${JSON.stringify(args)}: without a yes, what is there and what is not look alike`, async () => {
    const said = async (path: string) => {
      const { error, message } = refused(await start(alone, path));
      return `${error}: ${message.replaceAll(path, "PATH")}`;
    };
    const there = await said(directories.outside);
    assert.match(there, /^fs_denied: /);
    for (const path of [join(directories.outside, "none"), file]) assert.equal(await said(path), there);
  });
}

test("a directory that goes away while a person thinks is looked at again", async () => {
  const going = join(directories.outside, "going");
  mkdirSync(going);
  ann.says = () => (rmdirSync(going), {});
  try {
    const reply = refused(await asking.call({ tool: "Exec", args: { argv: ["/bin/pwd"], cwd: going } }));
    assert.deepEqual([reply.error, reply.message], ["invalid_args", `cwd: there is no directory "${going}".`]);
    assert.equal(existsSync(going), false);
  } finally {
    ann.says = () => ({});
  }
});

test("control: after a yes, a directory is one to start in", async () => {
  const result = resultOf(await asking.call({ tool: "Exec", args: { argv: ["/bin/pwd"], cwd: directories.outside } }));
  assert.deepEqual([result["stdout"], result["cwd"]], [`${directories.outside}\n`, directories.outside]);
});

test("what a call needs beside it may be missing, by whatever name", async () => {
  const read = [join(directories.outside, "none"), `/${"x".repeat(300)}`];
  const result = resultOf(await asking.call({ tool: "Bash", args: { script: "echo ran", needs: { read } } }));
  assert.equal(result["stdout"], "ran\n");
});
