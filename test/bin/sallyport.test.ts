// bin/sallyport.js in a package of its own, with a small dist/bundle/main.cjs that shows what reached it.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";

const root = join(import.meta.dirname, "../..");

const showing = `
require("node:sqlite");
exports.main = async function (argv) {
  if (argv[0] === "wait") {
    process.on("SIGTERM", () => { console.log("got SIGTERM"); process.exit(5); });
    console.log("waiting");
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
  if (argv[0] === "die") process.kill(process.pid, "SIGKILL");
  if (argv[0] === "warn") process.emitWarning("this one stays", "ExperimentalWarning");
  console.log(JSON.stringify({ argv, major: Number(process.versions.node.split(".")[0]) }));
  return 7;
};`;

function newPackage(t: TestContext, { built = true, pinned = true } = {}): string {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-bin-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  for (const name of ["bin", "dist/bundle", "node_modules"]) mkdirSync(join(directory, name), { recursive: true });
  for (const name of ["bin/sallyport.js", "bin/package.json"]) copyFileSync(join(root, name), join(directory, name));
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
  if (built) writeFileSync(join(directory, "dist/bundle/main.cjs"), showing);
  if (pinned) symlinkSync(join(root, "node_modules/node"), join(directory, "node_modules/node"));
  return join(directory, "bin/sallyport.js");
}

/** A node too old for us, if this machine has one. */
function oldNode(): string | undefined {
  return ["/usr/bin/node", "/usr/local/bin/node", "/usr/bin/nodejs"].find((node) => {
    const [major = 99, minor = 0] =
      spawnSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout?.split(".").map(Number) ?? [];
    return (major >= 18 && major < 22) || (major === 22 && minor < 18);
  });
}

const old = oldNode();
const needsOld = { skip: old === undefined ? "no node from 18 to 22.17 on this machine" : false };
const run = (node: string, args: string[], env = process.env) => spawnSync(node, args, { encoding: "utf8", env });

function stateHome(t: TestContext): { home: string; compiled: string; env: NodeJS.ProcessEnv } {
  const home = mkdtempSync(join(tmpdir(), "sallyport-state-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { NODE_COMPILE_CACHE: _, ...rest } = process.env;
  return { home, compiled: join(home, "sallyport/compiled"), env: { ...rest, XDG_STATE_HOME: home } };
}

test("arguments go in, output and exit code come out, and nothing else is printed", (t) => {
  const done = run(process.execPath, [newPackage(t), "call", "a b", "--", "-x"]);
  assert.deepEqual([done.status, done.stderr], [7, ""]);
  assert.deepEqual(JSON.parse(done.stdout).argv, ["call", "a b", "--", "-x"]);
});

test("it can be started through a link, as npm installs it", (t) => {
  const bin = newPackage(t);
  symlinkSync(bin, `${bin}-link`);
  assert.equal(run(process.execPath, [`${bin}-link`]).status, 7);
});

test("other warnings than the one about SQLite stay", (t) => {
  assert.match(run(process.execPath, [newPackage(t), "warn"]).stderr, /ExperimentalWarning: this one stays/);
});

test("what node compiled is kept for the next start, where only this user can write", (t) => {
  const { compiled, env } = stateHome(t);
  assert.equal(run(process.execPath, [newPackage(t)], env).status, 7);
  assert.equal(statSync(compiled).mode & 0o777, 0o700);
  assert.equal(readdirSync(compiled).length, 1);
});

test("where others can write, where a link leads elsewhere, or where nothing can be made, nothing is kept", (t) => {
  for (const spoil of [
    ({ compiled }: { compiled: string }) => (mkdirSync(compiled, { recursive: true }), chmodSync(compiled, 0o777)),
    ({ compiled }: { compiled: string }) => (
      mkdirSync(compiled, { recursive: true }),
      chmodSync(join(compiled, ".."), 0o770)
    ),
    ({ home, compiled }: { home: string; compiled: string }) => (
      mkdirSync(join(home, "sallyport")),
      mkdirSync(join(home, "elsewhere")),
      symlinkSync(join(home, "elsewhere"), compiled)
    ),
    ({ home }: { home: string }) => writeFileSync(join(home, "sallyport"), ""),
  ]) {
    const place = stateHome(t);
    spoil(place);
    const done = run(process.execPath, [newPackage(t)], place.env);
    assert.deepEqual([done.status, done.stderr], [7, ""]);
    assert.deepEqual(existsSync(place.compiled) ? readdirSync(place.compiled) : [], []);
  }
});

test("a clone that is not built says how to build it", (t) => {
  const done = run(process.execPath, [newPackage(t, { built: false })]);
  assert.equal(done.status, 3);
  assert.match(done.stderr, /npm run build/);
});

test("an old node starts the pinned one, with the same arguments, output and exit code", needsOld, (t) => {
  const done = run(old ?? "", [newPackage(t), "call", "a b", "--", "-x"]);
  assert.deepEqual([done.status, done.stderr], [7, ""]);
  assert.deepEqual(JSON.parse(done.stdout), { argv: ["call", "a b", "--", "-x"], major: 24 });
});

test("an old node passes a signal on, and its end by a signal back", needsOld, async (t) => {
  const child = spawn(old ?? "", [newPackage(t), "wait"], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    if (output === "") child.kill("SIGTERM");
    output += chunk.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  assert.deepEqual([code, output], [5, "waiting\ngot SIGTERM\n"]);
  assert.equal(run(old ?? "", [newPackage(t), "die"]).signal, "SIGKILL");
});

test("an old node without the pinned one says what to install", needsOld, (t) => {
  const done = run(old ?? "", [newPackage(t, { pinned: false })]);
  assert.equal(done.status, 3);
  assert.match(done.stderr, /22\.18 or newer.*this is v/);
});
