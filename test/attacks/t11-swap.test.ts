// T11: a granted directory that is swapped for a link while boxes are built does not lead a box elsewhere.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import test from "node:test";
import { makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { type Helper, startHelper } from "../fixtures/helper.ts";
import { exec, PERL } from "../fixtures/run.ts";

const TRIES = 150;

/** Swaps a directory for a link to a secret one and back, a few hundred times a second. */
function startSwapping({ base, outside }: TestDirectories): Promise<Helper> {
  const program = `$| = 1; print "ready\\n"; chdir "${base}/parent" or die; sub rest { select undef, undef, undef, rand 0.004 }
    while (1) { rest; rename "granted", "real"; symlink "${outside}", "granted"; rest; unlink "granted"; rename "real", "granted" }`;
  return startHelper([PERL, "-e", program]);
}

test("no box shows what a link leads to that was put in the place of a granted directory", async (t) => {
  const directories = makeTestDirectories();
  const granted = `${directories.base}/parent/granted`;
  mkdirSync(granted, { recursive: true });
  writeFileSync(`${granted}/file`, "granted");
  writeFileSync(`${directories.outside}/file`, "secret");
  const gate = openGate(directories, {
    paths: [
      { path: "/usr", mode: "r" },
      { path: granted, mode: "r" },
    ],
  });
  const swapper = await startSwapping(directories);
  t.after(() => (swapper.stop(), gate.close(), directories.remove()));

  const seen = { granted: 0, changed: 0, secret: 0, missing: 0 };
  for (let round = 0; round < TRIES; round += 1) {
    const reply = await exec(gate, ["/bin/cat", `${granted}/file`]);
    if (!reply.ok)
      assert.ok(
        ["changed", "fs_denied", "sandbox_unavailable", "internal"].includes(reply.error),
        JSON.stringify(reply),
      );
    if (!reply.ok) seen.changed += 1;
    else if (reply.result["stdout"] === "granted") seen.granted += 1;
    else if (reply.result["stdout"] === "secret") seen.secret += 1;
    else seen.missing += 1;
  }
  t.diagnostic(JSON.stringify(seen));
  assert.equal(seen.secret, 0);
  assert.ok(seen.granted > 0, "some calls must get through, or nothing was tried");

  // Looks at the path, and then binds it by that path, as one does who thinks of no race.
  let won = 0;
  for (const end = performance.now() + 60_000; won === 0 && performance.now() < end;) {
    try {
      if (realpathSync(granted) !== granted) continue;
    } catch {
      continue;
    }
    const { stdout } = spawnSync(
      "/usr/bin/bwrap",
      [
        "--unshare-user",
        "--ro-bind",
        "/usr",
        "/usr",
        "--symlink",
        "usr/lib",
        "/lib",
        "--symlink",
        "usr/lib64",
        "/lib64",
        "--ro-bind",
        granted,
        granted,
        "--",
        "/usr/bin/cat",
        `${granted}/file`,
      ],
      { encoding: "utf8" },
    );
    if (stdout === "secret") won += 1;
  }
  assert.ok(won > 0, "control: looking first and binding then can be won");
});

test("where bubblewrap cannot bind descriptors, the threat model says that this race is open", (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  t.diagnostic(`this bubblewrap binds descriptors: ${gate.sandbox.probe.bubblewrap?.bindsDescriptors}`);
  assert.equal(typeof gate.sandbox.probe.bubblewrap?.bindsDescriptors, "boolean");
});
