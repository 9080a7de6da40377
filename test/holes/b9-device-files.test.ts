// B9: boxes of root's gate shared their device files, so that `chmod 000 /dev/null` in one broke what ran in another.

import assert from "node:assert/strict";
import { chmodSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { isInLayer } from "../fixtures/layers.ts";
import { bare, bash, isRoot, until } from "../fixtures/run.ts";

const directories = makeTestDirectories();
const seen = [{ path: "/usr", mode: "r" }, { path: directories.root, mode: "rw" }, { path: directories.outside, mode: "r" }] as const; // prettier-ignore
const gate = openGate(directories, { paths: seen });
test.after(() => (gate.close(), directories.remove()));

const devices = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);
const states = () => devices.map((path) => { const { mode, uid, mtimeMs } = statSync(path); return [mode, uid, mtimeMs]; }); // prettier-ignore
/** By every name, and through descriptors: of the file, and of the standard input. */
const attack = `chmod 000 ${devices.join(" ")} /dev/stdin /proc/self/fd/0; chown 0:0 ${devices.join(" ")}; touch -d 2001-01-01 ${devices.join(" ")}; perl -e 'chmod 0, *STDIN; for (@ARGV) { open my $f, "<", $_ and chmod 0, $f }' ${devices.join(" ")}`;
const use = "echo x > /dev/null && cat /dev/stdin < /dev/null && head -c 2 /dev/zero | wc -c && head -c 3 /dev/urandom | wc -c && cat /dev/stdin && exec 3<&0 && cat < /proc/self/fd/3 && { echo x > /dev/full || echo full; }"; // prettier-ignore

test("a device file that one box tries to take away is there for all others", async () => {
  const before = states();
  const done = join(directories.outside, "done");
  const other = bash(gate, `touch ${directories.root}/running; until [ -e ${done} ]; do sleep 0.05; done; ${use}`);
  await until("the other call runs", () => isInLayer(directories.state, "running"));
  const { stderr } = await bash(gate, attack);
  assert.match(stderr, /chmod: changing permissions of '\/dev\/null'/);
  assert.deepEqual(states(), before, "the machine's are as they were");
  writeFileSync(done, "");
  const { stdout } = await bash(gate, use);
  assert.equal(stdout, "2\n3\nfull\n", "a later call has them");
  assert.equal((await other).stdout, "2\n3\nfull\n", "a call that was running has them");
});

test("standard input is the box's own", async () => {
  const { stdout } = await bash(gate, "readlink /proc/self/fd/0; [ -c /dev/stdin ] && echo device; cat | wc -c");
  assert.equal(stdout, "/dev/null\ndevice\n0\n");
});

test("control: two boxes made by hand share theirs", { skip: !isRoot && "only root owns them" }, (t) => {
  const before = statSync("/dev/full").mode & 0o777;
  t.after(() => chmodSync("/dev/full", before));
  const box = "/usr/bin/bwrap --unshare-user --cap-drop ALL --ro-bind /usr /usr --symlink usr/lib /lib --symlink usr/lib64 /lib64 --dev /dev --".split(" "); // prettier-ignore
  bare([...box, "/usr/bin/chmod", "640", "/dev/full"]);
  assert.equal(bare([...box, "/usr/bin/stat", "-c", "%a", "/dev/full"]).stdout, "640\n");
});
