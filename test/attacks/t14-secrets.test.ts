// T14: the secrets of whoever runs the gate are not in a box; those of a call are not told to the machine's other users.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { configText, makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { isInLayer } from "../fixtures/layers.ts";
import { bare, bash, until } from "../fixtures/run.ts";

const SECRET = "sallyport-test-secret-of-the-gate";
const look = "env; cat /proc/*/environ /proc/*/task/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'";

test("a program does not find the gate's environment, nor through /proc", (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const options = {
    statePath: directories.state,
    project: directories.project,
    configText: configText(directories),
    args: { argv: ["/bin/bash", "-c", look] },
  };
  const env = { PATH: "/usr/bin:/bin", XDG_CONFIG_HOME: `${directories.base}/config`, API_TOKEN: SECRET };
  const { stdout } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "../fixtures/gate-process.ts"), JSON.stringify(options)],
    { env, encoding: "utf8" },
  );
  const reply = JSON.parse(stdout) as { ok: boolean; result: { stdout: string } };
  assert.equal(reply.ok, true, stdout);
  assert.doesNotMatch(reply.result.stdout, new RegExp(SECRET));
  assert.match(reply.result.stdout, /^PATH=/m);
  assert.match(bare(["/bin/bash", "-c", look], { env }).stdout, new RegExp(SECRET), "control: without us it does");
});

test("a call's own environment and input are in no process's arguments, and in no file that others can read", async (t) => {
  const directories = makeTestDirectories();
  const seen = [{ path: "/usr", mode: "r" }, { path: directories.root, mode: "rw" }, { path: directories.outside, mode: "r" }] as const; // prettier-ignore
  const gate = openGate(directories, { paths: seen });
  t.after(() => (gate.close(), directories.remove()));
  const secret = `${SECRET}-${process.pid}`;
  const call = bash(
    gate,
    `touch ${directories.root}/runs; while [ ! -e ${directories.outside}/go ]; do sleep 0.02; done; echo $TOKEN; cat`,
    { env: { TOKEN: secret }, stdin: secret },
  );
  await until("it runs", () => isInLayer(directories.state, "runs"));
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const told = pids.filter((pid) => readOr(`/proc/${pid}/cmdline`).includes(secret));
  const controlled = pids.filter((pid) => readOr(`/proc/${pid}/environ`).includes(secret));
  const files = readdirSync(`${directories.state}/box`).filter(
    (name) =>
      statSync(`${directories.state}/box/${name}`).isFile() &&
      readOr(`${directories.state}/box/${name}`).includes(secret),
  );
  bare(["/usr/bin/touch", `${directories.outside}/go`]);
  assert.equal((await call).stdout, `${secret}\n${secret}`);
  assert.deepEqual(told, []);
  assert.deepEqual(files, []);
  assert.ok(controlled.length > 0, "control: it is in the program's environment, where only its own user may look");
});

function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
