import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { serverStart } from "../../src/config/server-command.ts";

function machine(t: TestContext, where: string): { root: string; directory: string; bin: string } {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-start-")));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const root = join(directory, where);
  const bin = join(directory, "bin");
  mkdirSync(join(root, "bin"), { recursive: true });
  mkdirSync(bin);
  writeFileSync(join(root, "bin/sallyport.js"), "#!/usr/bin/env node\n", { mode: 0o755 });
  writeFileSync(join(root, "package.json"), '{ "version": "1.2.3" }');
  return { root, directory, bin };
}

test("by name where the name on the PATH is this installation, and lasts", (t) => {
  const { root, directory, bin } = machine(t, "clone");
  const start = (PATH: string) => serverStart({ environment: { PATH }, project: null, root, node: "/n/node" });
  const byPath = { command: "/n/node", args: [join(root, "bin/sallyport.js"), "mcp"] };
  assert.deepEqual(start(bin), byPath, "nothing there");
  symlinkSync(join(root, "bin/sallyport.js"), join(bin, "sallyport"));
  assert.deepEqual(start(bin), { command: "sallyport", args: ["mcp"] });
  chmodSync(join(root, "bin/sallyport.js"), 0o644);
  assert.deepEqual(start(bin), byPath, "it is no program");
  chmodSync(join(root, "bin/sallyport.js"), 0o755);
  rmSync(join(bin, "sallyport"));
  writeFileSync(join(bin, "sallyport"), "#!/bin/sh\n", { mode: 0o755 });
  assert.deepEqual(start(bin), byPath, "another sallyport");
  const fleeting = join(directory, "x/node_modules/.bin");
  mkdirSync(fleeting, { recursive: true });
  symlinkSync(join(root, "bin/sallyport.js"), join(fleeting, "sallyport"));
  assert.deepEqual(start(fleeting), byPath, "only while npm runs");
  symlinkSync(process.execPath, join(bin, "node"));
  assert.deepEqual(start(bin), { ...byPath, command: "node" }, "a node on the PATH goes by its name");
});

test("a package in a project goes by npx where the project shares it, by its place elsewhere", (t) => {
  const { root, directory } = machine(t, "project/node_modules/sallyport");
  const start = (project: string | null) =>
    serverStart({ environment: { PATH: "" }, project, root, node: "/n/node" }).args;
  assert.deepEqual(start(join(directory, "project")), ["--no", "sallyport", "mcp"]);
  assert.deepEqual(start(join(directory, "other")), [join(root, "bin/sallyport.js"), "mcp"]);
  assert.deepEqual(start(null), [join(root, "bin/sallyport.js"), "mcp"]);
});

test("from the cache of npx: by name and version", (t) => {
  const { root } = machine(t, ".npm/_npx/0a1b/node_modules/sallyport");
  const start = serverStart({ environment: { PATH: "" }, project: null, root });
  assert.deepEqual(start, { command: "npx", args: ["-y", "sallyport@1.2.3", "mcp"] });
});
