// Holds the shape of src/: the layers, the doors and the names. Each rule is also shown a source that breaks it.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pureProblems } from "./browser-rules.ts";
import { fileCycles, folderCycles, typeCycles } from "./cycle-rules.ts";
import { networkFiles, networkProblems } from "./network-rules.ts";
import { workspaceProblems } from "./workspace-rules.ts";
import { doorProblems, layerProblems, maxLines, nameProblems, openers, openProblems, type Sources } from "./rules.ts";

const src = join(import.meta.dirname, "../../src");
const sources: Sources = new Map(
  globSync("**/*.ts", { cwd: src }).map((path) => [path, readFileSync(join(src, path), "utf8")]),
);
const problemsOf = (check: (path: string, source: string) => string[]): string[] =>
  [...sources].flatMap(([path, source]) => check(path, source));

test("src/ has sources to look at", () => assert.ok(sources.size > 5));
test("a folder imports only from folders above it", () => assert.deepEqual(problemsOf(layerProblems), []));
test("no files import each other", () => {
  assert.deepEqual(fileCycles(sources, false), []);
  assert.deepEqual(
    fileCycles(sources, true).filter((cycle) => !typeCycles.has(cycle)),
    [],
  );
});
test("no folders of command/ import each other", () => assert.deepEqual(folderCycles(sources, "command"), []));
test("each power stays behind its door", () => assert.deepEqual(problemsOf(doorProblems), []));
test("T37: what an agent could have made is opened in one way only", () => {
  assert.deepEqual(problemsOf(openProblems), []);
  assert.deepEqual(
    [...openers.keys()].filter((path) => !sources.has(path)),
    [],
  );
});
test("a connection is opened only where it is said why", () => {
  assert.deepEqual(problemsOf(networkProblems), []);
  assert.deepEqual(
    [...networkFiles.keys()].filter((path) => !sources.has(path)),
    [],
  );
});
test("a workspace answers for itself: nobody else asks for its kind", () =>
  assert.deepEqual(problemsOf(workspaceProblems), []));
test("names and sizes are as agreed", () => assert.deepEqual(problemsOf(nameProblems), []));
test("what the browser uses takes nothing of node, neither modules nor globals", () => {
  assert.deepEqual(
    problemsOf((path) => pureProblems(path, sources)),
    [],
  );
});

test("the checks see what breaks the rules", async (t) => {
  const broken: [(path: string, source: string) => string[], string, string][] = [
    [layerProblems, "policy/a.ts", 'import { a } from "../audit/a.ts";'],
    [layerProblems, "action/a.ts", 'import type { A } from "../policy/a.ts";'],
    [layerProblems, "shared/a.ts", 'export * from "../runtime/a.ts";'],
    [layerProblems, "tools/a.ts", 'const a = await import("../store/a.ts");'],
    [layerProblems, "mcp/a.ts", 'import "../cli/a.ts";'],
    [layerProblems, "cli/a.ts", 'import {\n  a, // one\n  type B,\n} from "../index.ts";'],
    [layerProblems, "misc/a.ts", ""],
    [layerProblems, "loose.ts", ""],
    [doorProblems, "sandbox/a.ts", 'import { spawn } from "node:child_process";'],
    [doorProblems, "cli/a.ts", 'const { spawn } = require("child_process");'],
    [doorProblems, "cli/a.ts", "const home = `${process.env.HOME}/x`;"],
    [doorProblems, "cli/a.ts", "const { env } = process;"],
    [doorProblems, "cli/a.ts", 'const home = process["env"].HOME;'],
    [doorProblems, "audit/a.ts", 'import { DatabaseSync } from "node:sqlite";'],
    [doorProblems, "audit/a.ts", 'process.getBuiltinModule("fs").rmSync("x");'],
    [doorProblems, "tools/a.ts", 'import { readFileSync, writeFileSync } from "node:fs";'],
    [doorProblems, "tools/a.ts", 'import * as fs from "node:fs/promises";\nawait fs.mkdir("x");'],
    [doorProblems, "tools/a.ts", 'import { openSync } from "node:fs";\nopenSync("x", "a");'],
    [doorProblems, "config/load.ts", 'import { constants, openSync } from "node:fs";\nopenSync(p, constants.O_RDWR);'],
    [doorProblems, "tools/a.ts", 'import disk from "node:fs";\ndisk.promises.rm("x");\ndisk.rmSync("x");'],
    [doorProblems, "tools/a.ts", 'import { env } from "node:process";'],
    [doorProblems, "store/a.ts", 'import { mkdirSync } from "node:fs";\nmkdirSync(at, { recursive: true });'],
    [openProblems, "git/repository.ts", 'import { lstatSync, readFileSync } from "node:fs";'],
    [openProblems, "git/a.ts", 'import { open } from "node:fs/promises";'],
    [openProblems, "tools/a.ts", 'import * as fs from "node:fs";\nfs.createReadStream(path);'],
    [openProblems, "sandbox/guard.ts", 'import { constants, openSync } from "node:fs";'],
    [openProblems, "runtime/a.ts", 'import { promises } from "node:fs";\nawait promises.readFile(path);'],
    [openProblems, "process/plain-file.ts", 'import { lstatSync } from "node:fs";'],
    [networkProblems, "tools/a.ts", 'const page = await fetch("https://example.com");'],
    [networkProblems, "git/a.ts", "const send = options.send ?? fetch;"],
    [networkProblems, "git/a.ts", "createApi({ send: fetch });"],
    [networkProblems, "git/a.ts", "globalThis.fetch(url);"],
    [networkProblems, "web/a.ts", "const socket = new WebSocket(url);"],
    [networkProblems, "web/a.ts", 'import { connect } from "node:net";'],
    [networkProblems, "mcp/a.ts", 'const { request } = await import("https");'],
    [networkProblems, "config/a.ts", 'import { lookup } from "node:dns/promises";'],
    [networkProblems, "cli/a.ts", 'import { serve } from "@hono/node-server";'],
    [networkProblems, "process/network.ts", "export const nothing = 1;"],
    [workspaceProblems, "tools/a.ts", 'if (context.workspace.kind === "directory") return;'],
    [workspaceProblems, "sandbox/a.ts", "switch (action.view.workspace.kind) {}"],
    [workspaceProblems, "runtime/a.ts", "const { kind, path } = this.view;"],
    [workspaceProblems, "runtime/a.ts", 'return place === "memory" ? one : two;'],
    [nameProblems, "cli/a.ts", "export default 1;"],
    [nameProblems, "cli/a.ts", "const a = 1;\nexport { a as default };"],
    [nameProblems, "cli/a.ts", "export const enum A { B }"],
    [nameProblems, "cli/helpers.ts", ""],
    [nameProblems, "cli/index.ts", ""],
    [nameProblems, "cli/twoWords.ts", ""],
    [nameProblems, "cli/a.ts", "\n".repeat(maxLines + 1)],
    [pureWith({ "shared/a.ts": "const size = Buffer.byteLength(text);" }), "shared/a.ts", ""],
    [pureWith({ "shared/a.ts": "const { pid } = process;" }), "shared/a.ts", ""],
    [pureWith({ "shared/a.ts": "const where = process.cwd();" }), "shared/a.ts", ""],
    [pureWith({ "approval/a.ts": "setImmediate(done);" }), "approval/a.ts", ""],
    [pureWith({ "policy/a.ts": "setTimeout(done, 10).unref();" }), "policy/a.ts", ""],
    [pureWith({ "policy/a.ts": "timer.refresh();" }), "policy/a.ts", ""],
    [pureWith({ "action/a.ts": "const here = __dirname;" }), "action/a.ts", ""],
    [pureWith({ "browser.ts": 'import "./tools/b.ts";', "tools/b.ts": "process.exit(1);" }), "browser.ts", ""],
    [pureWith({ "policy/a.ts": 'import { x } from "node:fs";' }), "policy/a.ts", ""],
    [pureWith({ "approval/a.ts": 'import "../audit/b.ts";', "audit/b.ts": 'import "crypto";' }), "approval/a.ts", ""],
  ];
  for (const [check, path, source] of broken) {
    await t.test(`${path}: ${source.slice(0, 60).trim() || "(its name or what it imports)"}`, () => {
      assert.notDeepEqual(check(path, source), []);
    });
  }
});

test("the checks see what imports each other", () => {
  const files = (...pairs: [string, string][]): Sources => new Map(pairs);
  const types = files(["a/x.ts", 'import type { Y } from "./y.ts";'], ["a/y.ts", 'import { x } from "./x.ts";']);
  assert.deepEqual(fileCycles(types, true), ["a/x.ts a/y.ts"]);
  assert.deepEqual(fileCycles(types, false), []);
  const three = files(
    ["a/x.ts", 'import "./b/y.ts";'],
    ["a/b/y.ts", 'export { z } from "../c/z.ts";'],
    ["a/c/z.ts", 'await import("../x.ts");'],
  );
  assert.deepEqual(fileCycles(three, false), ["a/b/y.ts a/c/z.ts a/x.ts"]);
  assert.deepEqual(folderCycles(three, "a"), ["a a/b a/c"]);
  const parent = files(
    ["a/x.ts", 'import "./b/y.ts";'],
    ["a/b/y.ts", 'import type { W } from "../w.ts";'],
    ["a/w.ts", ""],
  );
  assert.deepEqual(fileCycles(parent, true), []);
  assert.deepEqual(folderCycles(parent, "a"), ["a a/b"]);
});

test("the checks let good sources pass", () => {
  const good = [
    '// import { spawn } from "node:child_process"; process.env',
    'import { a } from "../shared/a.ts";',
    'import type { Stats } from "node:fs";',
    'import { readFileSync } from "node:fs";\nconst hint = "set process.env, then export default or mkdir()";',
    "const quote = /[\"'`]/;\nconst text = `it's // not a comment`;",
    'import { openSync } from "node:fs";\nopenSync("x", "r");',
    'const hint = `${name}: git fetch, then go on`;\nawait app.fetch(request);\nimport type { Socket } from "node:net";',
    'import { readFileSync } from "node:fs";\nimport { rename } from "../shared/names.ts";\nrename("x");',
  ];
  for (const source of good) {
    assert.deepEqual(
      [layerProblems, doorProblems, networkProblems, nameProblems].flatMap((check) => check("tools/a.ts", source)),
      [],
      source,
    );
  }
});

function pureWith(files: Record<string, string>): (path: string) => string[] {
  return (path) => pureProblems(path, new Map(Object.entries(files)));
}
