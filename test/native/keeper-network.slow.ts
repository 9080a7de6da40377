// The sockets that native/keeper sends reach the oldest node that is supported, too: their form is node's own, and may change.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

const root = join(import.meta.dirname, "../..");

test("a box's listeners reach the oldest node that is supported", { timeout: 600_000 }, () => {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { engines: { node: string } };
  const version = `${engines.node.replace(">=", "")}.0`;
  const directory = join(root, `node_modules/.cache/sallyport/node-${version}`);
  const installed = spawnSync("npm", ["install", "--no-save", "--prefix", directory, `node@${version}`], {
    encoding: "utf8",
  });
  assert.equal(installed.status, 0, installed.stderr);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const file = join(root, "test/native/keeper-network.test.ts");
  const run = spawnSync(join(directory, "node_modules/.bin/node"), ["--test-reporter=tap", file], {
    encoding: "utf8",
    cwd: root,
    env,
  });
  assert.equal(run.status, 0, run.stdout.slice(-5_000) + run.stderr.slice(-2_000));
  assert.match(run.stdout, /^# pass 6$/m);
});
