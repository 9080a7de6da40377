// What the bundled command loads: each file costs time at every start.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import test, { type TestContext } from "node:test";

const root = join(import.meta.dirname, "../..");

const callOf = (args: object) => ["call", "Exec", JSON.stringify(args)];

/** The files of the bundle that one command loads, by their names. `words` print JSON if they succeed. */
function filesOf(t: TestContext, words: readonly string[], config: string): string[] {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-bundle-")));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, "project"));
  writeFileSync(join(home, "config.yaml"), config);
  writeFileSync(
    join(home, "list.cjs"),
    'process.on("exit", () => console.error(JSON.stringify(Object.keys(require.cache))));',
  );
  const flags = ["--config", join(home, "config.yaml"), "--project", join(home, "project")];
  const done = spawnSync(
    process.execPath,
    ["-r", join(home, "list.cjs"), join(root, "bin/sallyport.js"), ...words, ...flags],
    { encoding: "utf8", env: { HOME: home, PATH: "/usr/bin:/bin" } },
  );
  assert.match(done.stdout, /^[[{]/, done.stderr);
  const loaded = JSON.parse(done.stderr.trim().split("\n").at(-1) ?? "") as string[];
  return loaded.filter((file) => file.startsWith(join(root, "dist/bundle"))).map((file) => basename(file));
}

const grants = '"tool_grants": ["Exec"], "fs_grants": [{ "path": "/usr", "mode": "r" }]';
const json = `{ "version": 1, "agents": { "default": { ${grants} } } }`;
const seldomLoaded = ["schemas.cjs", "schema-check.cjs", "exec-schema.cjs", "yaml-source.cjs", "parse-script.cjs"];

test("an ordinary call loads neither the schema library nor a parser", (t) => {
  const files = filesOf(t, callOf({ argv: ["/bin/true"] }), json);
  assert.ok(files.includes("gate.cjs"));
  assert.deepEqual(
    seldomLoaded.filter((file) => files.includes(file)),
    [],
  );
});

test("nor does a look at what waits", (t) => {
  const files = filesOf(t, ["review", "--once", "--json"], json);
  assert.ok(files.includes("review.cjs"));
  assert.deepEqual(
    seldomLoaded.filter((file) => files.includes(file)),
    [],
  );
});

test("what such a call does without is loaded when it is needed", (t) => {
  const files = filesOf(t, callOf({ argv: ["/bin/sh", "-c", "true"], env: {} }), `# YAML\n${json}`);
  const needed = seldomLoaded.filter((file) => file !== "schema-check.cjs");
  assert.deepEqual(
    seldomLoaded.filter((file) => files.includes(file)),
    needed,
  );
});
