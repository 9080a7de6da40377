// Drafts on a disk that is full, or gets full: a small file system in a mount namespace of this test.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { isRoot } from "../fixtures/run.ts";

const OWN = "SALLYPORT_TEST_HAS_OWN_MOUNTS";

if (process.env[OWN] === undefined)
  test("a full disk", { skip: !isRoot && "only root mounts", timeout: 120_000 }, () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const words = ["--mount", process.execPath, "--test-reporter=tap", import.meta.filename];
    const ran = spawnSync("unshare", words, { encoding: "utf8", env: { ...env, [OWN]: "1" } });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    assert.match(ran.stdout, /^# pass 2$/m);
  });
else {
  test("a full disk fails a beginning, and leaves nothing", async (t) => {
    const project = makeProject(t, { "a.txt": "one\n", "big.bin": "0123456789abcdef".repeat(1 << 18) });
    await onSmallDisk(project, "3m", async () => {
      const gate = openDraft(t, project);
      const reply = await gate.reply("Bash", { script: "true" });
      assert.match(JSON.stringify(reply), /"ok":false.*(errno 28|ENOSPC|No space)/);
      assert.deepEqual(readdirSync(join(project.state, "drafts")), []);
      gate.close();
    });
  });

  test("a disk that gets full while a program writes", async (t) => {
    const project = makeProject(t, { "a.txt": "one\n" });
    await onSmallDisk(project, "24m", async () => {
      const gate = openDraft(t, project);
      await gate.bash("echo kept > kept; git add kept; git commit -qm kept");
      const ran = await gate.result("Bash", { script: "head -c 100M /dev/zero > big" });
      assert.match(`${String(ran["stderr"])} ${String(ran["limit_hit"])}`, /No space left| disk/);
      const script = "cat kept a.txt; rm big; echo on > on; git add on; git commit -qm on; git fsck";
      assert.equal(await gate.bash(script), "kept\none\n");
      gate.close();
      await gate.closed;
      const next = openDraft(t, project);
      assert.equal(await next.bash("cat kept on"), "kept\non\n");
      next.close();
      await next.closed;
    });
  });
}

/** The journal is elsewhere: a gate that cannot write it does nothing. */
async function onSmallDisk(project: Project, size: string, work: () => Promise<void>): Promise<void> {
  const path = join(project.state, "drafts");
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=700`, "small", path], {
    encoding: "utf8",
  });
  assert.equal(mounted.status, 0, mounted.stderr);
  try {
    await work();
  } finally {
    spawnSync("umount", ["--lazy", path]);
  }
}
