// Who works on a pull into a draft, and who takes over when that process is gone, in whatever pid namespace it was.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { makeDraftDirectory } from "../../src/sandbox/draft-directory.ts";
import { removePull, takePull } from "../../src/sandbox/draft-pull.ts";

const worker = join(import.meta.dirname, "../fixtures/pull-worker.ts");
const isRoot = process.getuid?.() === 0;
const namespaces = [
  ...(isRoot ? [] : ["--user", "--map-current-user"]),
  "--pid",
  "--mount-proc",
  "--fork",
  "--kill-child",
];

for (const [where, before] of [
  ["in this pid namespace", []],
  ["in another pid namespace, such as that of a container", ["unshare", ...namespaces]],
] as const)
  test(`a pull ${where} is taken over when its process is gone, by one`, async (t) => {
    const place = realpathSync(mkdtempSync(join(tmpdir(), "draft-pull-")));
    t.after(() => rmSync(place, { recursive: true, force: true }));
    const [start, draft] = [join(place, "start"), join(place, "draft")];
    for (const directory of [start, draft]) makeDraftDirectory(directory, "/usr/bin/mkfifo");
    assert.equal(takePull(draft).is, "none");

    const [file = "", ...words] = [...before, process.execPath, worker, start, draft];
    const child = spawn(file, words, { stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => child.kill("SIGKILL"));
    const closed = new Promise((resolve) => child.on("close", resolve));
    const said = await new Promise((resolve) => child.stdout.once("data", resolve));
    const isElsewhere = before.length > 0;
    assert.equal(Number(String(said)) !== child.pid, isElsewhere, `control: it is process ${String(said)} there`);
    assert.equal(takePull(draft).is, "in work");

    child.kill("SIGKILL");
    await closed; // its output is closed with its other files
    const taken = takePull(draft);
    assert.ok(taken.is === "ours");
    assert.deepEqual(taken.turn.plan, { tip: "1", newTip: "2", work: "3", newWork: "4" });
    assert.equal(takePull(draft).is, "in work", "another gate of the same process waits, too");
    taken.turn.end();
    const again = takePull(draft);
    assert.ok(again.is === "ours", "what was not finished is left to the next call");
    removePull(draft);
    again.turn.end();
    assert.equal(takePull(draft).is, "none");
  });
