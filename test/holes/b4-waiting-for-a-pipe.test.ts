// B4: somebody exchanges a `.git` file for a named pipe and back, as fast as they can; calls that land make the gate look at it. The gate
// answers them all. A call itself cannot do that any more: it exchanges them in its layer. Control: a look and then a plain read wait for ever.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeTestDirectories } from "../fixtures/gate.ts";

const CALLS = 25;
const directories = makeTestDirectories();
after(() => directories.remove());
mkdirSync(join(directories.root, "d"));

const exchange = `
import ctypes, os, time
libc = ctypes.CDLL(None)
os.chdir(${JSON.stringify(directories.root)})
def make():
    if not os.path.lexists("d/.git"):
        open("d/.git", "w").write("gitdir: x\\n")
    if not os.path.lexists("d/f"):
        os.mkfifo("d/f")
make()
end = time.time() + 120
while time.time() < end:
    for _ in range(200):
        if libc.renameat2(-100, b"d/.git", -100, b"d/f", 2) != 0:
            make()
`;

const gateProcess = `
  import { createGate, createRegistry, registerExecTool } from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)};
  const [state, root] = process.argv.slice(2);
  const registry = createRegistry();
  registerExecTool(registry);
  const configText = JSON.stringify({ version: 1, agents: { default: { tool_grants: ["Exec"], fs_grants: [{ path: "/usr", mode: "r" }, { path: root, mode: "rw" }] } }, workspace: { kind: "memory" } });
  const gate = createGate({ registry, statePath: state, project: root, configText });
  for (let call = 1; call <= ${CALLS}; call += 1) {
    const reply = await gate.call({ tool: "Exec", args: { argv: ["/usr/bin/touch", root + "/made-" + call] } });
    if (!reply.ok) throw new Error(reply.message);
    console.log("answered " + call);
  }
  gate.close();
`;

test("a gate that looks at what is a file and a pipe in turn answers every call", { timeout: 170_000 }, (t) => {
  const swapping = spawn("/usr/bin/python3", ["-c", exchange], { stdio: "ignore" });
  t.after(() => swapping.kill("SIGKILL"));
  const words = ["--input-type=module", "-e", gateProcess, "-", directories.state, directories.root];
  const { stdout, stderr, signal } = spawnSync(process.execPath, words, {
    encoding: "utf8",
    timeout: 110_000,
    killSignal: "SIGKILL",
  });
  assert.deepEqual([swapping.exitCode, swapping.signalCode], [null, null], "control: they were exchanged all the time");
  assert.equal(signal, null, `it hangs after ${stdout.trim().split("\n").at(-1)}`);
  assert.match(stdout, new RegExp(`answered ${CALLS}\n`), stderr);
});

test("control: who looks, and then reads, waits for ever", async () => {
  const path = join(directories.root, "control");
  const looked = join(directories.root, "looked");
  const script = `
    const { lstatSync, readFileSync, renameSync, writeFileSync } = require("fs");
    writeFileSync(process.argv[1], "gitdir: x\\n");
    if (!lstatSync(process.argv[1]).isFile()) process.exit(1);
    require("child_process").spawnSync("mkfifo", [process.argv[1] + ".pipe"]);
    renameSync(process.argv[1] + ".pipe", process.argv[1]);
    writeFileSync(process.argv[2], "");
    readFileSync(process.argv[1]);
  `;
  const child = spawn(process.execPath, ["-e", script, path, looked], { stdio: "ignore" });
  while (!existsSync(looked) && child.exitCode === null) await sleep(10);
  await sleep(500);
  assert.equal(child.exitCode, null);
  child.kill("SIGKILL");
});
