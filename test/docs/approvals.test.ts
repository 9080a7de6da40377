// The example of docs/approvals.md, run as it stands there, against the sources.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { markedBlocks, readDocument, root } from "./documents.ts";

test("the example of docs/approvals.md does what it says", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-approvals-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const [block, ...more] = markedBlocks(readDocument("docs/approvals.md"));
  assert.ok(block !== undefined && more.length === 0 && block.language === "ts");
  const file = join(directory, "example.ts");
  writeFileSync(file, block.body.replace('"sallyport"', JSON.stringify(join(root, "src/index.ts"))));
  const config = join(directory, "config/sallyport");
  mkdirSync(config, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(config, "config.yaml"),
    "version: 1\nagents:\n  default:\n    tool_grants: [Exec]\n    fs_grants: [{ path: /usr, mode: r }]\n",
  );
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: directory,
    XDG_CONFIG_HOME: join(directory, "config"),
    XDG_STATE_HOME: join(directory, "state"),
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    cwd: directory,
    env,
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^listed\nfs_denied: .*review q-/);
  assert.match(stdout, /read \/var: no grant covers it/);
});
