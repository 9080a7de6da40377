// native/devices: the committed binaries are what the source says, and do what they should, without a box after them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { arch } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { isRoot } from "../fixtures/run.ts";
import { noBinary, testBuilt } from "./built.ts";

testBuilt("devices");

const program = join(import.meta.dirname, "../../native", `devices-${arch()}`);
const asRoot = { skip: noBinary || (!isRoot && "only root owns the machine's device files") };
const names = ["null", "zero", "full", "random", "urandom", "tty"].filter((name) => existsSync(`/dev/${name}`));

function run(args: readonly string[], options: { readonly uid?: number } = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", cwd: "/", ...options });
  return { status, stdout, stderr };
}

/** To the mode that each has. */
const setModes = names.map((name) => `chmod ${(statSync(`/dev/${name}`).mode & 0o777).toString(8)} /dev/${name}`);

test("the command can use the devices and change none of them", asRoot, () => {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8");
  for (const change of setModes) {
    const { status, stderr } = run(["--", "/bin/bash", "-c", change]);
    assert.equal(status, 1, change);
    assert.match(stderr, /Read-only file system/, change);
    assert.equal(spawnSync("/bin/bash", ["-c", change]).status, 0, `control: without it, ${change} is done`);
  }
  const used = run([
    "--",
    "/bin/bash",
    "-c",
    "echo x > /dev/null; head -c 2 /dev/zero | wc -c; echo x > /dev/full || exit 7",
  ]);
  assert.deepEqual([used.status, used.stdout], [7, "2\n"]);
  assert.equal(readFileSync("/proc/self/mountinfo", "utf8"), mounts, "nobody else sees the mounts");
});

test("who may not mount starts the command all the same", asRoot, () => {
  const { status, stdout } = run(["--", "/bin/echo", "started"], { uid: 65_534 });
  assert.deepEqual([status, stdout], [0, "started\n"]);
});

test("a command that cannot be started is said", asRoot, () => {
  assert.deepEqual(run(["--", "/nowhere"]), { status: 125, stdout: "", stderr: "devices: exec: errno 2\n" });
  for (const args of [[], ["--"], ["/bin/true"], ["x", "/bin/true"]])
    assert.equal(run(args).status, 125, args.join(" "));
});
