// Drafts on a disk that is full, or gets full: a small file system in a mount namespace of this test. A user finds it mounted.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";
import { isRoot } from "../fixtures/run.ts";
import { makeSmallDisks, stateOnSmallDisk, withSmallDisks } from "../fixtures/small-disks.ts";

const OWN = "SALLYPORT_TEST_SMALL_DISKS";
const disks = process.env[OWN] ?? (isRoot ? undefined : process.env["FOREIGN_FILES"]);

if (disks === undefined)
  test("a full disk", { skip: !isRoot && "only root mounts", timeout: 120_000 }, (t) => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-disks-")));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    makeSmallDisks(directory, 0);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const [file = "", ...words] = withSmallDisks(directory, 0, [
      process.execPath,
      "--test-reporter=tap",
      import.meta.filename,
    ]);
    const ran = spawnSync(file, words, { encoding: "utf8", env: { ...env, [OWN]: directory } });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    assert.match(ran.stdout, /^# pass 2$/m);
  });
else {
  test("a full disk fails a beginning, and leaves nothing", async (t) => {
    const project = {
      ...makeProject(t, { "a.txt": "one\n", "big.bin": "0123456789abcdef".repeat(1 << 18) }),
      state: stateOnSmallDisk(disks, "3m"),
    };
    const gate = openDraft(t, project);
    const reply = await gate.reply("Bash", { script: "true" });
    assert.match(JSON.stringify(reply), /"ok":false.*(errno 28|ENOSPC|No space)/);
    assert.deepEqual(readdirSync(join(project.state, "drafts")), []);
  });

  test("a disk that gets full while a program writes", async (t) => {
    const project = { ...makeProject(t, { "a.txt": "one\n" }), state: stateOnSmallDisk(disks, "24m") };
    const gate = openDraft(t, project);
    await gate.bash("echo kept > kept; git add kept; git commit -qm kept");
    const ran = await gate.result("Bash", { script: "head -c 100M /dev/zero > big" });
    // The program meets the end of the disk, or the gate ends it right before.
    assert.match(`${String(ran["stderr"])} ${String(ran["limit_hit"])}`, /No space left| disk/);
    assert.match(String(ran["hint"]), /disk.*(?:is full|nearly full).*a person has to make room/);
    assert.doesNotMatch(String(ran["hint"]), /workspace in memory|disk_mb/);
    const script = "cat kept a.txt; rm big; echo on > on; git add on; git commit -qm on; git fsck";
    assert.equal(await gate.bash(script), "kept\none\n");
    gate.close();
    await gate.closed;
    const next = openDraft(t, project);
    assert.equal(await next.bash("cat kept on"), "kept\non\n");
  });
}
