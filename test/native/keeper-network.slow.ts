// The sockets that native/keeper sends reach every node that is supported: the oldest one, and the newest of each line with long support.
// Their form is node's own, and may change.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { runTestsAsUser } from "../fixtures/other-user.ts";

const root = join(import.meta.dirname, "../..");
const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { engines: { node: string } };
const oldest = `${engines.node.replace(">=", "")}.0`;

function npm(...words: string[]): string {
  const ran = spawnSync("npm", words, { encoding: "utf8" });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout;
}

/** Lines with an even number get long support. */
function supported(): string[] {
  const newest = new Map<number, string>();
  const atLeast = Number.parseInt(oldest, 10);
  for (const version of JSON.parse(npm("view", "node", "versions", "--json")) as string[]) {
    const [line = 0, minor = 0, patch = 0] = version.split(".").map(Number);
    if (!/^[\d.]+$/.test(version) || line < atLeast || line % 2 === 1) continue;
    const [, bestMinor = 0, bestPatch = -1] = (newest.get(line) ?? "").split(".").map(Number);
    if (minor > bestMinor || (minor === bestMinor && patch > bestPatch)) newest.set(line, version);
  }
  return [oldest, ...newest.values()];
}

const { NODE_TEST_CONTEXT: _, ...env } = process.env;
const files = ["test/native/keeper-network.test.ts", "test/sandbox/listeners-trial.test.ts"];

function installed(version: string): string {
  const directory = join(root, `node_modules/.cache/sallyport/node-${version}`);
  npm("install", "--no-save", "--prefix", directory, `node@${version}`);
  const node = join(directory, "node_modules/.bin/node");
  assert.equal(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout, `v${version}\n`);
  return node;
}

const noUser = process.getuid?.() !== 0 && "the tests run as a user already";

for (const version of supported()) {
  test(`a box's listeners reach node ${version}`, { timeout: 600_000 }, () => {
    const node = installed(version);
    for (const file of files) {
      const run = spawnSync(node, ["--test-reporter=tap", file], { encoding: "utf8", cwd: root, env });
      assert.equal(run.status, 0, run.stdout.slice(-5_000) + run.stderr.slice(-2_000));
      assert.match(run.stdout, /^# pass [1-9]\d*\n# fail 0\n# cancelled 0\n# skipped 0$/m);
    }
  });

  test(`and as a user, node ${version}`, { timeout: 600_000, skip: noUser }, async (t) => {
    const options = { node: installed(version), imported: ["test/native/built.ts"] };
    const { status, report, failed } = await runTestsAsUser(t, files, options);
    assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
    assert.match(report, /^# pass [1-9]\d*\n# fail 0\n# cancelled 0\n# skipped 0$/m);
  });
}
