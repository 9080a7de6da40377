// T13: a program in root's box cannot take the machine's device files away from everybody.

import assert from "node:assert/strict";
import { chmodSync, statSync } from "node:fs";
import test from "node:test";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { bare, bash, isRoot, perl } from "../fixtures/run.ts";

const names = ["null", "zero", "full", "random", "urandom", "tty"];
const modes = () => names.map((name) => (statSync(`/dev/${name}`).mode & 0o777).toString(8));

test(
  "the modes of the machine's device files stay as they are",
  { skip: !isRoot && "only root owns them" },
  async (t) => {
    const directories = makeTestDirectories();
    const gate = openGate(directories);
    const before = modes();
    t.after(() => {
      gate.close();
      directories.remove();
      for (const [index, name] of names.entries())
        chmodSync(`/dev/${name}`, Number.parseInt(before[index] as string, 8));
    });
    await bash(gate, `chmod 600 ${names.map((name) => `/dev/${name}`).join(" ")}`);
    await perl(
      gate,
      "chmod 0600, *STDIN; chmod 0600, '/proc/self/fd/0', '/dev/stdin'; open my $f, '<', '/dev/zero'; chmod 0600, $f",
    );
    assert.deepEqual(modes(), before);
    assert.equal(
      (await bash(gate, "echo x > /dev/null; head -c 2 /dev/zero | wc -c; echo x > /dev/full || echo full")).stdout,
      "2\nfull\n",
      "and the next call has them as they should be",
    );

    const box = [
      "/usr/bin/bwrap",
      "--unshare-user",
      "--cap-drop",
      "ALL",
      "--ro-bind",
      "/usr",
      "/usr",
      "--symlink",
      "usr/lib",
      "/lib",
      "--symlink",
      "usr/lib64",
      "/lib64",
      "--dev",
      "/dev",
      "--remount-ro",
      "/dev",
    ];
    bare([...box, "--", "/usr/bin/chmod", "640", "/dev/full"]);
    const control = modes()[2];
    chmodSync("/dev/full", Number.parseInt(before[2] as string, 8));
    assert.equal(control, "640", "control: in a box with the machine's own, it changes them");
  },
);
