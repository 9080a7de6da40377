// B3, B5, B6, B7: what a program did to a path granted `rw` while it ran. It writes to a layer now, and a landing lets none of it through.
// B4 has a file of its own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { configText, makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { isInLayer } from "../fixtures/layers.ts";
import { bare, bash, until } from "../fixtures/run.ts";

function setUp(t: TestContext): TestDirectories {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  return directories;
}

const exchange = (rounds: number) =>
  `python3 -c 'import ctypes, os
libc = ctypes.CDLL(None)
for _ in range(${rounds}):
    for name in ("a/.env", "b/.env"):
        try: os.unlink(name)
        except OSError: pass
    libc.renameat2(-100, b"a", -100, b"b", 2)'`;

test("B3: while one call exchanges two directories, another never reads the hidden file in one of them", async (t) => {
  const { root, outside, ...rest } = setUp(t);
  const place = () => {
    mkdirSync(`${root}/a`, { recursive: true });
    mkdirSync(`${root}/b`, { recursive: true });
    writeFileSync(`${root}/a/.env`, "CANARY");
  };
  place();
  const paths = [
    { path: "/usr", mode: "r" },
    { path: root, mode: "rw", hide: [".env"] },
  ] as const;
  const gate = openGate({ root, outside, ...rest }, { paths });
  t.after(() => gate.close());
  const swapping = bash(gate, `cd ${root}; touch begun; for i in $(seq 200); do ${exchange(50)}; done`, { timeout_s: 8 }); // prettier-ignore
  await until("it runs", () => isInLayer(rest.state, "begun"));
  for (let call = 0; call < 15; call += 1)
    assert.doesNotMatch((await bash(gate, `cat ${root}/?/.e* 2>/dev/null; true`)).stdout, /CANARY/);
  await swapping;
  assert.equal(readFileSync(`${root}/a/.env`, "utf8"), "CANARY", "and it is where it was");

  const moved = bare(["/bin/bash", "-c", `cd ${root}; python3 -c 'import ctypes; ctypes.CDLL(None).renameat2(-100, b"a", -100, b"b", 2)'; cat b/.env`]); // prettier-ignore
  assert.equal(moved.stdout, "CANARY", "control: without us it goes with its directory, where no cover of the path is");
});

test("B5: what a call made before its gate was killed is not there, neither then nor after the next gate's call", async (t) => {
  const directories = setUp(t);
  const { root, state } = directories;
  const make = `cd ${root}; mkdir -p sub/.git/hooks sub/.vscode; echo x > sub/.git/hooks/pre-commit; echo x > sub/.vscode/tasks.json; echo x > plain; touch begun; sleep 1000`;
  const options = { statePath: state, project: directories.project, configText: configText(directories), args: { argv: ["/bin/bash", "-c", make] } }; // prettier-ignore
  const child = spawn(process.execPath, [join(import.meta.dirname, "../fixtures/gate-process.ts"), JSON.stringify(options)], { stdio: "ignore" }); // prettier-ignore
  t.after(() => child.kill("SIGKILL"));
  await until("it runs", () => isInLayer(state, "begun"));
  child.kill("SIGKILL");
  await until("it is gone", () => child.signalCode !== null);
  assert.deepEqual(readdirSync(root), []);
  const gate = openGate(directories);
  await bash(gate, `touch ${root}/next`);
  gate.close();
  assert.deepEqual(readdirSync(root), ["next"]);
  const free = spawn("/bin/bash", ["-c", make], { stdio: "ignore" });
  await until("it runs", () => existsSync(`${root}/begun`));
  free.kill("SIGKILL");
  assert.ok(existsSync(`${root}/sub/.git/hooks/pre-commit`), "control: without us it is there");
});

test("B6: fifty empty .git directories do not land, and later calls run", async (t) => {
  const directories = setUp(t);
  const gate = openGate(directories);
  t.after(() => gate.close());
  const make = `cd ${directories.root}; for i in $(seq 50); do mkdir -p d/$i/.gi""t; done`;
  const found = () => bare(["/usr/bin/find", directories.root, "-name", ".git"]).stdout.trim().split("\n").filter((line) => line !== "").length; // prettier-ignore
  const { not_kept: notKept } = await bash(gate, make);
  assert.deepEqual([notKept?.length, found()], [50, 0]);
  assert.equal((await bash(gate, "echo ok")).stdout, "ok\n");
  bare(["/bin/bash", "-c", make]);
  assert.equal(found(), 50, "control: without us they are made");
  assert.equal(
    (await bash(gate, `echo ok; echo x > ${directories.root}/d/1/x`)).stdout,
    "ok\n",
    "and calls run all the same",
  );
  assert.ok(existsSync(`${directories.root}/d/1/x`));
});

const names =
  ".zed/tasks.json .exrc .nvim.lua .vimrc .dir-locals.el .fleet/x .vs/x .run/x .kiro/x .roo/x .opencode/x opencode.json .amazonq/x .bash_aliases .inputrc .cshrc .kshrc .xprofile .config/fish/config.fish .config/git/config .ssh/rc .npmrc .yarnrc.yml .cargo/config.toml .pre-commit-config.yaml .lefthook.yml .githooks/x .devcontainer.json .mise.toml x.code-workspace .gdbinit .tmux.conf .git/config .vscode/tasks.json .claude/settings.json .envrc".split(" "); // prettier-ignore

test("B7: none of the names that others execute lands, and nothing lands where links of such names lead", async (t) => {
  const directories = setUp(t);
  const { root } = directories;
  mkdirSync(`${root}/tools/vscode`, { recursive: true });
  mkdirSync(`${root}/env`);
  mkdirSync(`${root}/linked`);
  symlinkSync("../tools/vscode", `${root}/linked/.vscode`);
  symlinkSync("../env/rc", `${root}/linked/.envrc`);
  const gate = openGate(directories);
  t.after(() => gate.close());
  const write = `cd ${root}; for n in ${names.join(" ")}; do mkdir -p $(dirname $n) deep/$(dirname $n); echo pwned > $n; echo pwned > deep/$n; done; echo pwned > tools/vscode/tasks.json; echo pwned > env/rc; echo x > env/plain`;
  const pwned = () => bare(["/usr/bin/grep", "-rlx", "pwned", root]).stdout.split("\n").length - 1;
  const { exit_code, stderr } = await bash(gate, write);
  assert.equal(exit_code, 0, stderr);
  assert.equal(pwned(), 0);
  assert.ok(existsSync(`${root}/env/plain`), "the rest lands");
  bare(["/bin/bash", "-c", write]);
  assert.equal(pwned(), 2 * names.length + 2, "control: without us they are all there");
});
