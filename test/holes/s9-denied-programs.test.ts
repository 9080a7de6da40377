// S9: a rule that denies a program. Each form of the report, and others of the kind, is run for real: with the rule it
// leaves no marker, neither as a script that was read nor as one that nobody read (the box alone); without it, it does.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import {
  createRegistry,
  type Gate,
  registerBashTool,
  registerExecTool,
  registerPythonTool,
  registerShellTool,
} from "../../src/index.ts";
import type { RuleText } from "../../src/policy/rule.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { configWithPolicy } from "../fixtures/policy.ts";
import { exec, ran, refused } from "../fixtures/run.ts";
import { forms, notInstalled } from "./s9-forms.ts";

const directories = makeTestDirectories();
after(() => directories.remove());
const gates: Gate[] = [];
after(() => gates.forEach((gate) => gate.close()));

const tools = ["Bash", "Exec", "Python", "Shell"];
/** What is refused by default is not the question here. */
const others: readonly RuleText[] = [
  { decide: "allow", effect: "interactive" },
  { decide: "allow", effect: "privilege" },
];

function open(rules: readonly RuleText[], more: Readonly<Record<string, unknown>> = {}): Gate {
  const registry = createRegistry();
  for (const register of [registerBashTool, registerExecTool, registerPythonTool, registerShellTool])
    register(registry);
  const config = JSON.parse(configWithPolicy(directories, { rules: [...rules, ...others] }, { tools })) as object;
  const gate = openGate(directories, {}, { registry, configText: JSON.stringify({ ...config, ...more }) });
  gates.push(gate);
  return gate;
}

const rule: RuleText = { decide: "deny", effect: "run", argv: ["touch", "**"], because: "nothing is touched here" };
const denied = open([rule]);
const allowed = open([]);

/** Each form in a directory of its own, by bash, in one box that nobody has read the scripts for. */
const runAll = `
import json, os, subprocess, sys
for form in json.load(sys.stdin):
    env = {**os.environ, **form["env"]}
    try:
        subprocess.run(["bash", "-c", form["script"]], cwd=form["cwd"], env=env, input=form["stdin"], text=True, timeout=20,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        print("timed out:", form["script"])
`;

async function runForms(gate: Gate): Promise<string[]> {
  const jobs = forms.map(({ name, script, env = {}, stdin = "" }) => {
    return { name, script, env, stdin, cwd: mkdtempSync(`${directories.root}/w-`) };
  });
  const args = { code: runAll, stdin: JSON.stringify(jobs), timeout_s: 120 };
  assert.equal(ran(await gate.call({ tool: "Python", args })).stdout, "");
  return jobs.filter(({ cwd }) => existsSync(`${cwd}/M`)).map(({ name }) => name);
}

test("no form runs touch where a rule denies it, though nobody reads the script; without the rule each does", async () => {
  assert.deepEqual(await runForms(denied), []);
  assert.deepEqual(
    await runForms(allowed),
    forms.map(({ name }) => name),
    "control",
  );
});

for (const { name, script, env = {}, stdin, isSeen = true } of forms) {
  test(`touch in ${name} is ${isSeen ? "seen by the reader" : "left to the box"}`, async () => {
    const cwd = mkdtempSync(`${directories.root}/w-`);
    const call = { tool: "Bash", args: { script, cwd, env, ...(stdin === undefined ? {} : { stdin }) } };
    const planned = await denied.plan(call);
    assert.ok(planned.ok);
    assert.equal(planned.value.verdict.decision, isSeen ? "deny" : "allow");
    const free = await allowed.plan(call);
    assert.ok(free.ok && free.value.verdict.decision === "allow", "control: without the rule it is allowed");
    if (isSeen) refused(await denied.call(call));
    else ran(await denied.call(call));
    assert.ok(!existsSync(`${cwd}/M`), "it left a marker");
  });
}

for (const [script, env] of notInstalled) {
  test(`touch is seen in ${script}`, async () => {
    const call = { tool: "Bash", args: { script, env: env ?? {} } };
    const planned = await denied.plan(call);
    assert.ok(planned.ok && planned.value.verdict.decision === "deny");
    const free = await allowed.plan(call);
    assert.ok(free.ok && free.value.verdict.decision === "allow", "control: without the rule it is allowed");
  });
}

test("the program cannot be copied or read at its own path, nor through a mount", async () => {
  const mounts = [
    { source: "/usr", target: "/workspace/usr", mode: "r" },
    { source: "/usr/bin", target: "/workspace/b", mode: "r" },
  ];
  const workspace = { kind: "memory", mounts };
  const [closed, free] = [open([rule], { workspace }), open([], { workspace })];
  const paths = ["/usr/bin/touch", "/bin/touch", "/workspace/usr/bin/touch", "/workspace/b/touch"];
  for (const path of paths) {
    const code = `import shutil\nshutil.copyfile(${JSON.stringify(path)}, "/tmp/x")\nprint("copied")`;
    assert.match(ran(await closed.call({ tool: "Python", args: { code } })).stderr, /Permission/, path);
    const script = `cp ${path} /tmp/x && chmod +x /tmp/x && cd /tmp && ./x M && ls M`;
    const read = await closed.call({ tool: "Bash", args: { script } });
    assert.ok(!read.ok || read.result["exit_code"] !== 0, path);
    assert.equal(ran(await free.call({ tool: "Python", args: { code } })).stdout, "copied\n", "control");
    assert.equal(ran(await free.call({ tool: "Bash", args: { script } })).stdout, "M\n", "control");
  }
});

test("the refusal says the rule's reason, for every tool", async () => {
  for (const reply of [
    await exec(denied, ["/usr/bin/touch", "x"]),
    await exec(denied, ["/bin/touch", "x"]),
    await exec(denied, ["/usr/bin/env", "touch", "x"]),
    await denied.call({ tool: "Bash", args: { script: "touch x" } }),
  ]) {
    const { error, message } = refused(reply);
    assert.equal(error, "permission_denied");
    assert.match(message, /nothing is touched here/);
  }
});

const whole: readonly (readonly [rule: Partial<RuleText>, program: string, isThere: boolean])[] = [
  [{ argv: ["awk", "**"] }, "/usr/bin/mawk", false],
  [{ program: "awk" }, "/usr/bin/awk", false],
  [{ program: "/usr/bin/awk" }, "/usr/bin/mawk", false],
  [{ argv: ["/usr/bin/awk", "**"] }, "/usr/bin/mawk", false],
  [{ argv: ["m*wk", "**"] }, "/usr/bin/awk", false],
  [{ program: "/usr/bin/maw?" }, "/usr/bin/awk", false],
  [{ argv: ["bunzip2", "**"] }, "/usr/bin/bzcat", false],
  [{ argv: ["git", "**"] }, "/usr/lib/git-core/git", false],
  [{ argv: ["git", "push", "**"] }, "/usr/bin/git", true],
  [{ argv: ["git"] }, "/usr/bin/git", true],
  [{ argv: ["git", "*"] }, "/usr/bin/git", true],
  [{ program: "git", argv: ["git", "push", "**"] }, "/usr/bin/git", true],
];
for (const [text, program, isThere] of whole) {
  test(`with ${JSON.stringify(text)}, ${program} is ${isThere ? "there" : "not there"}`, async () => {
    const gate = open([{ decide: "deny", effect: "run", ...text }]);
    const code = `import os\nprint(os.access(${JSON.stringify(program)}, os.R_OK | os.X_OK))`;
    assert.equal(ran(await gate.call({ tool: "Python", args: { code } })).stdout, isThere ? "True\n" : "False\n");
  });
}

test("nor is it there among the system's libraries, which every box shows without a grant", async () => {
  const paths = [{ path: "/usr/bin", mode: "r" } as const];
  const registry = createRegistry();
  registerPythonTool(registry);
  const code = `import os\nprint(os.access("/usr/lib/git-core/git", os.X_OK))`;
  for (const [words, isThere] of [
    ["git", false],
    ["gitk", true],
  ] as const) {
    const rules: RuleText[] = [{ decide: "deny", effect: "run", argv: [words, "**"] }];
    const gate = openGate(
      directories,
      {},
      { registry, configText: configWithPolicy(directories, { rules }, { tools, paths }) },
    );
    gates.push(gate);
    assert.equal(ran(await gate.call({ tool: "Python", args: { code } })).stdout, isThere ? "True\n" : "False\n");
  }
});

test("a program of a granted tree's own directories is not there either, nor can its directory be moved away", async () => {
  const bin = `${directories.root}/tree/node_modules/.bin`;
  mkdirSync(bin, { recursive: true });
  writeFileSync(`${bin}/deploy`, "#!/bin/sh\necho deployed\n", { mode: 0o755 });
  const paths = [{ path: "/usr", mode: "r" } as const, { path: `${directories.root}/tree`, mode: "rw" } as const];
  const registry = createRegistry();
  registerPythonTool(registry);
  const rules: RuleText[] = [{ decide: "deny", effect: "run", argv: ["deploy", "**"] }];
  const gate = openGate(
    directories,
    {},
    { registry, configText: configWithPolicy(directories, { rules }, { tools, paths }) },
  );
  gates.push(gate);
  const run = `import subprocess\nprint(subprocess.run(["sh", ${JSON.stringify(`${bin}/deploy`)}]).returncode)`;
  assert.notEqual(ran(await gate.call({ tool: "Python", args: { code: run } })).stdout, "0\n");
  const move = `import os\nos.rename(${JSON.stringify(`${directories.root}/tree/node_modules`)}, ${JSON.stringify(`${directories.root}/tree/n2`)})`;
  assert.match(ran(await gate.call({ tool: "Python", args: { code: move } })).stderr, /cross-device/);
  assert.equal(ran(await allowed.call({ tool: "Python", args: { code: run } })).stdout, "deployed\n0\n", "control");
  rmSync(`${directories.root}/tree`, { recursive: true });
});

test("a tool whose own program is denied says so before anything starts, also under another of its names", async () => {
  const cases: readonly [string, RuleText["argv"], string, Record<string, unknown>][] = [
    ["bash", ["bash", "**"], "Bash", { script: "true" }],
    ["python3.11 by its link", ["python3*", "**"], "Python", { code: "1" }],
    ["ls", ["ls", "**"], "Shell", { command: "ls" }],
  ];
  for (const [name, argv, tool, args] of cases) {
    const gate = open([{ decide: "deny", effect: "run", argv, because: "not this one" }]);
    assert.match(refused(await gate.call({ tool, args })).message, /not this one/, name);
  }
});

test("a program that is installed while the gate runs is gone from the next call on", async () => {
  mkdirSync(`${directories.root}/bin`, { recursive: true });
  const gate = open([{ decide: "deny", effect: "run", argv: ["latecomer", "**"] }]);
  const code = `import subprocess\nprint(subprocess.run(["sh", "${directories.root}/bin/latecomer"]).returncode)`;
  ran(await gate.call({ tool: "Python", args: { code } }));
  writeFileSync(`${directories.root}/bin/latecomer`, "#!/bin/sh\n", { mode: 0o755 });
  assert.notEqual(ran(await gate.call({ tool: "Python", args: { code } })).stdout, "0\n");
  assert.equal(ran(await allowed.call({ tool: "Python", args: { code } })).stdout, "0\n", "control");
});

test("nor does one run of a tree that the call alone needs, for reading or for writing", async () => {
  const tree = mkdtempSync("/var/tmp/sallyport-needed-");
  mkdirSync(`${tree}/bin`);
  writeFileSync(`${tree}/bin/deploy`, "#!/bin/sh\necho deployed\n", { mode: 0o755 });
  writeFileSync(`${tree}/start.py`, `import os\nb = "${tree}/bin/dep"\nos.execv(b + "loy", ["x"])\n`);
  const script = `python3 ${tree}/start.py`;
  const opened: RuleText[] = (["read", "write"] as const).map((effect) => ({ decide: "allow", effect, path: tree }));
  const ways = ["read", "write"] as const;
  for (const [gate, ...outputs] of [
    [open([...opened, { decide: "deny", effect: "run", argv: ["deploy", "**"] }]), "", ""],
    [open(opened), "deployed\n", "deployed\n"],
  ] as const)
    for (const [index, way] of ways.entries()) {
      const args = { script, needs: { [way]: [tree] } };
      const reply = await gate.call({ tool: "Bash", args });
      assert.equal(reply.ok ? reply.result["stdout"] : "", outputs[index], `${way}: ${JSON.stringify(reply)}`);
    }
  rmSync(tree, { recursive: true });
});

test("a link with a denied name, in a tree that the agent can change, takes nothing from the next call", async () => {
  const paths = [{ path: "/usr", mode: "r" } as const, { path: `${directories.root}/links`, mode: "rw" } as const];
  mkdirSync(`${directories.root}/links`);
  const registry = createRegistry();
  registerBashTool(registry);
  const rules: RuleText[] = [{ decide: "deny", effect: "run", argv: ["curl", "**"] }];
  const gate = openGate(
    directories,
    {},
    { registry, configText: configWithPolicy(directories, { rules }, { tools, paths }) },
  );
  gates.push(gate);
  const bash = (script: string) => gate.call({ tool: "Bash", args: { script } });
  for (const to of ["$(command -v bash)", "$(ls /usr/lib/*/libc.so.6 | head -n 1)"]) {
    assert.equal(
      ran(await bash(`cd ${directories.root}/links; mkdir -p bin; ln -sf ${to} bin/curl; echo made`)).stdout,
      "made\n",
    );
    assert.equal(ran(await bash("/usr/bin/env echo alive")).stdout, "alive\n", to);
  }
});
