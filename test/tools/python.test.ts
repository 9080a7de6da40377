// Python: the same flow as Bash, with nothing of it in its own file.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import test, { after } from "node:test";
import { type Interpreter, planScript } from "../../src/tools/programs/script-tool.ts";
import type { PlanContext } from "../../src/tools/tool.ts";
import { scripted } from "../fixtures/approver.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { ran, refused } from "../fixtures/run.ts";
import { openScriptGate } from "../fixtures/script-gate.ts";

process.env["TMPDIR"] = "/var/tmp"; // a box has a /tmp of its own
const directories = makeTestDirectories();
const shared = openScriptGate(directories);
after(() => {
  shared.close();
  directories.remove();
});
const { python } = shared;

test("its file says nothing of approvals, limits, environment or output", () => {
  const source = readFileSync(new URL("../../src/tools/python.ts", import.meta.url), "utf8");
  assert.doesNotMatch(
    source,
    /approv|grant|ask|policy|judge|verdict|limit|timeout|memory|env\b|environ|process\.|stdout|stderr|output|truncat|network|sandbox|confine|spawn|exec\(/i,
  );
  assert.ok(source.split("\n").length < 60);
  const imports = [...source.matchAll(/from "([^"]+)"/g)].map(([, from]) => from);
  assert.deepEqual(
    imports.filter(
      (from) => from !== "zod" && from !== "../shared/result.ts" && !/^\.\/(?:programs\/)?[\w-]+\.ts$/.test(from ?? ""),
    ),
    [],
  );
});

test("code runs in /workspace, isolated, from a file", async () => {
  const code = "import sys, os\nprint(sys.version_info[0], sys.flags.isolated, os.getcwd(), sys.argv)";
  const { stdout } = ran(await python(code));
  assert.equal(stdout, "3 1 /workspace ['/dev/sallyport-script']\n");
});

test("arguments that do not fit are named", async () => {
  for (const [args, message] of [
    [{}, /code/],
    [{ code: "" }, /code/],
    [{ code: "1", script: "x" }, /"script": no such argument/],
    [{ code: "1", timeout_s: 3601 }, /timeout_s/],
    [{ code: "1", env: { PYTHONPATH: "x" } }, /PYTHONPATH/],
  ] as const) {
    const reply = refused(await shared.call("Python", args));
    assert.deepEqual([reply.error, message.test(reply.message)], ["invalid_args", true], reply.message);
  }
});

test("exit codes, exceptions, signals, standard input, time and output are as with Bash", async () => {
  assert.equal(ran(await python("import sys; sys.exit(3)")).exit_code, 3);
  const raised = ran(await python("raise ValueError('no')"));
  assert.deepEqual([raised.exit_code, /ValueError: no/.test(raised.stderr)], [1, true]);
  assert.equal(ran(await python("import os; os.kill(os.getpid(), 9)")).signal, "SIGKILL");
  assert.equal(ran(await python("print(input())", { stdin: "given\n" })).stdout, "given\n");
  assert.match(ran(await python("input()")).stderr, /EOFError/);
  assert.equal(ran(await python("import time; time.sleep(30)", { timeout_s: 1 })).timed_out, true);
  const long = ran(await python("print('x' * 100000)", { max_output_bytes: 1024 }));
  assert.deepEqual([long.stdout_truncated, long.stdout_bytes], [true, 100_001]);
  assert.equal(ran(await python("import os; print(os.environ['A'])", { env: { A: "b" } })).stdout, "b\n");
});

test("what it needs is asked for as with Bash, and said as plainly", async () => {
  mkdirSync(`${directories.outside}/p`);
  writeFileSync(`${directories.outside}/p/note`, "outside\n");
  const read = [
    `print(open("${directories.outside}/p/note").read())`,
    { needs: { read: [`${directories.outside}/p`] } },
  ] as const;
  const write = [
    `open("${directories.outside}/p/made", "w")`,
    { needs: { write: [`${directories.outside}/p`] } },
  ] as const;
  const reach = ["print('online')", { needs: { network: true } }] as const;
  const calls: (readonly [string, Record<string, unknown>])[] = [read, write, reach];
  const errors: string[] = [];
  for (const call of calls) errors.push(refused(await python(...call)).error);
  assert.deepEqual(errors, ["fs_denied", "fs_denied", "net_denied"]);
  const approver = scripted(() => ({ decision: "deny" }));
  const asking = openScriptGate(directories, {}, { approvers: [approver] });
  for (const call of calls) assert.equal(refused(await asking.python(...call)).error, "approval_denied");
  approver.says = () => ({});
  assert.equal(ran(await asking.python(...read)).stdout, "outside\n\n");
  assert.equal(ran(await asking.python(...write)).exit_code, 0);
  assert.ok(existsSync(`${directories.outside}/p/made`));
  assert.match(ran(await asking.python(...reach)).notes?.[0] ?? "", /whole network of this machine/);
  const failed = ran(await asking.python(read[0]));
  assert.match(failed.hint ?? "", /is not in the box.*needs/);
  asking.close();
});

test("its files are those of Bash and of the file tools", async () => {
  await shared.done("write_file", { path: "in.txt", content: "5\n" });
  const result = ran(await python("n = int(open('in.txt').read())\nopen('out.txt', 'w').write(str(n * n))"));
  assert.deepEqual(result.artifacts, [{ path: "/workspace/out.txt", operation: "create", size: 2 }]);
  assert.equal((await shared.ranBash("cat out.txt")).stdout, "25");
});

test("the text is on no command line", async () => {
  const code = `# canary-of-python\nimport glob\nprint(b"".join(open(p, "rb").read() for p in glob.glob("/proc/[0-9]*/cmdline")))`;
  const { stdout } = ran(await python(code));
  assert.match(stdout, /python3.*-I.*sallyport-script/);
  assert.ok(!stdout.includes("canary-of-python"));
});

test("none on this machine: tool_failed, with what to install", async () => {
  const missing: Interpreter = {
    name: "python-that-is-not-there",
    options: [],
    install: "sudo apt-get install -y python3",
    requirements: [],
    effects: () => assert.fail("it is not read"),
  };
  const planned = await planScript(missing, { text: "1" }, {
    programs: { directories: () => [] as string[], inBox: () => null, fixed: () => [] as string[] },
  } as unknown as PlanContext);
  assert.ok(!planned.ok);
  assert.deepEqual(planned.failure, {
    error: "tool_failed",
    message: "python-that-is-not-there is not installed.",
    hint: "This would mend it: sudo apt-get install -y python3",
  });
});

test("isolated means: nothing in the directory takes the place of a module", async () => {
  await shared.done("write_file", { path: "json.py", content: "print('mine')\n" });
  assert.equal(ran(await python("import json; print(json.dumps(1))")).stdout, "1\n");
  const directory = `${directories.outside}/shadow`;
  mkdirSync(directory);
  writeFileSync(`${directory}/json.py`, "print('mine')\n");
  const bare = spawnSync("/usr/bin/python3", ["-c", "import json"], { cwd: directory, encoding: "utf8" });
  assert.equal(bare.stdout, "mine\n", "without -I it does");
});
