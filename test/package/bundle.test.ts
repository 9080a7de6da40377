// What the bundled command loads: each file costs time at every start.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import test, { type TestContext } from "node:test";

const root = join(import.meta.dirname, "../..");

/** The files of the bundle that one call loads, by their names. */
function filesOfCall(t: TestContext, args: object, config: string): string[] {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-bundle-")));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, "project"));
  writeFileSync(join(home, "config.yaml"), config);
  writeFileSync(
    join(home, "list.cjs"),
    'process.on("exit", () => console.error(JSON.stringify(Object.keys(require.cache))));',
  );
  const words = ["call", "Exec", JSON.stringify(args), "--config", join(home, "config.yaml")];
  const done = spawnSync(
    process.execPath,
    ["-r", join(home, "list.cjs"), join(root, "bin/sallyport.js"), ...words, "--project", join(home, "project")],
    { encoding: "utf8", env: { HOME: home, PATH: "/usr/bin:/bin" } },
  );
  assert.match(done.stdout, /^\{"ok":/, done.stderr);
  const loaded = JSON.parse(done.stderr.trim().split("\n").at(-1) ?? "") as string[];
  return loaded.filter((file) => file.startsWith(join(root, "dist/bundle"))).map((file) => basename(file));
}

const grants = '"tool_grants": ["Exec"], "fs_grants": [{ "path": "/usr", "mode": "r" }]';
const json = `{ "version": 1, "agents": { "default": { ${grants} } } }`;
const seldomLoaded = ["schemas.cjs", "schema-check.cjs", "exec-schema.cjs", "yaml-source.cjs", "parse-script.cjs"];

test("an ordinary call loads neither the schema library nor a parser", (t) => {
  const files = filesOfCall(t, { argv: ["/bin/true"] }, json);
  assert.ok(files.includes("gate.cjs"));
  assert.deepEqual(
    seldomLoaded.filter((file) => files.includes(file)),
    [],
  );
});

test("what such a call does without is loaded when it is needed", (t) => {
  const files = filesOfCall(t, { argv: ["/bin/sh", "-c", "true"], env: {} }, `# YAML\n${json}`);
  const needed = seldomLoaded.filter((file) => file !== "schema-check.cjs");
  assert.deepEqual(
    seldomLoaded.filter((file) => files.includes(file)),
    needed,
  );
});
