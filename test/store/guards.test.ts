import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { openGuardLedger } from "../../src/store/guards.ts";

const made: string[] = [];
after(() => made.forEach((directory) => rmSync(directory, { recursive: true, force: true })));

function newPlace() {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-guards-"));
  made.push(directory);
  const [state, root] = [join(directory, "state"), join(directory, "project")];
  mkdirSync(root);
  return { state, root, names: () => readdirSync(root).sort() };
}
const make = (paths: readonly string[]) => paths.forEach((path) => writeFileSync(path, "", { flag: "a" }));
const remove = (paths: readonly string[]) => paths.forEach((path) => rmSync(path, { force: true }));

async function holder(state: string, root: string, ...names: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "guard-worker.ts"), state, root, ...names], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (names[0] === "crash-before") await once(child, "exit");
  else await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

async function end(child: ChildProcess, how: "in order" | "killed"): Promise<void> {
  if (how === "killed") child.kill("SIGKILL");
  else child.stdin?.write("end\n");
  await once(child, "exit");
}

test("a hold takes what is absent, leaves what is there, and its release removes just that", () => {
  const { state, root, names } = newPlace();
  writeFileSync(join(root, ".envrc"), "");
  const ledger = openGuardLedger(state);
  const hold = ledger.hold(
    root,
    [".mcp.json", ".envrc", ".git"].map((name) => join(root, name)),
  );
  assert.deepEqual(hold.paths, [join(root, ".git"), join(root, ".mcp.json")]);
  make(hold.paths);
  ledger.release(hold, remove);
  assert.deepEqual(names(), [".envrc"]);
  ledger.sweep(() => assert.fail("nothing is left"));
  ledger.close();
});

test("two calls of one process: the last one removes", () => {
  const { state, root, names } = newPlace();
  const ledger = openGuardLedger(state);
  const first = ledger.hold(root, [join(root, "a"), join(root, "b")]);
  make(first.paths);
  const second = ledger.hold(root, [join(root, "b"), join(root, "c")]);
  assert.deepEqual(second.paths, [join(root, "b"), join(root, "c")], "another call's placeholder is needed too");
  make(second.paths);
  ledger.release(first, remove);
  assert.deepEqual(names(), ["b", "c"]);
  ledger.release(second, remove);
  assert.deepEqual(names(), []);
  ledger.close();
});

test("two processes on one root: placeholders stay until both are gone", async () => {
  const { state, root, names } = newPlace();
  const first = await holder(state, root, "a", "b");
  const second = await holder(state, root, "b", "c");
  await end(first, "in order");
  assert.deepEqual(names(), ["b", "c"]);
  await end(second, "in order");
  assert.deepEqual(names(), []);
});

test("a killed process: a sweep removes what only it needed, and nothing that another still needs", async () => {
  const { state, root, names } = newPlace();
  const killed = await holder(state, root, "a", "b");
  const living = await holder(state, root, "b", "c");
  await end(killed, "killed");
  assert.deepEqual(names(), ["a", "b", "c"]);
  const ledger = openGuardLedger(state);
  ledger.sweep(remove);
  assert.deepEqual(names(), ["b", "c"]);
  await end(living, "in order");
  assert.deepEqual(names(), []);
  ledger.close();
});

test("a killed process: the release of a living one removes what both needed", async () => {
  const { state, root, names } = newPlace();
  const killed = await holder(state, root, "a");
  const living = await holder(state, root, "a");
  await end(killed, "killed");
  await end(living, "in order");
  assert.deepEqual(names(), []);
});

test("a crash between the book and the disk leaves nothing that matters", async () => {
  const { state, root, names } = newPlace();
  await holder(state, root, "crash-before", "a");
  assert.deepEqual(names(), []);
  const ledger = openGuardLedger(state);
  let offered: readonly string[] = [];
  ledger.sweep((paths) => {
    offered = paths;
    remove(paths);
  });
  assert.deepEqual(offered, [join(root, "crash-before"), join(root, "a")], "deepest and last first");
  ledger.sweep(() => assert.fail("the book is empty"));
  ledger.close();
});

test("what could not be removed stays in the book for the next sweep", async () => {
  const { state, root, names } = newPlace();
  await end(await holder(state, root, "a"), "killed");
  const ledger = openGuardLedger(state);
  assert.throws(
    () =>
      ledger.sweep(() => {
        throw new Error("read-only");
      }),
    /read-only/,
  );
  assert.deepEqual(names(), ["a"]);
  ledger.sweep(remove);
  assert.deepEqual(names(), []);
  ledger.close();
});

test("a pid that came back is not its former holder, nor is one of an earlier boot", () => {
  for (const change of ["started = '1'", "boot = 'earlier'"]) {
    const { state, root, names } = newPlace();
    const ledger = openGuardLedger(state);
    make(ledger.hold(root, [join(root, "a")]).paths);
    ledger.sweep(() => assert.fail("control: this process lives"));
    const other = new DatabaseSync(join(state, "guards.sqlite"));
    other.exec(`UPDATE holds SET ${change}`);
    other.close();
    ledger.sweep(remove);
    assert.deepEqual(names(), []);
    ledger.close();
  }
});

test("parents are made first and removed last", () => {
  const { state, root } = newPlace();
  const ledger = openGuardLedger(state);
  const hold = ledger.hold(root, [join(root, "d", "e"), join(root, "d")]);
  assert.deepEqual(hold.paths, [join(root, "d"), join(root, "d", "e")]);
  ledger.release(hold, (paths) => assert.deepEqual(paths, [join(root, "d", "e"), join(root, "d")]));
  assert.equal(existsSync(join(root, "d")), false);
  ledger.close();
});

test("many processes on one root, some killed: after the last sweep nothing is left", async () => {
  const { state, root, names } = newPlace();
  const children = await Promise.all(
    Array.from({ length: 6 }, (_, index) => holder(state, root, "a", "b", `own${index}`)),
  );
  assert.equal(names().length, 8);
  await Promise.all(children.map((child, index) => end(child, index % 2 === 0 ? "killed" : "in order")));
  const ledger = openGuardLedger(state);
  ledger.sweep(remove);
  assert.deepEqual(names(), []);
  ledger.close();
});
