import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { openWorkspaceStore, type WorkspaceStore, type WorkspaceStoreOptions } from "../../src/store/workspaces.ts";
import type { Change } from "../../src/workspace/workspace.ts";
import { link, refusalOf, remove, valueOf, write } from "../contracts/workspace.ts";
import { sessionKey } from "../../src/shared/session-id.ts";
import { sessionOfDefault } from "../fixtures/session-id.ts";

const made: string[] = [];
after(() => made.forEach((directory) => rmSync(directory, { recursive: true, force: true })));

function newState(): string {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-workspaces-"));
  made.push(directory);
  return join(directory, "state");
}

const newStore = (options?: WorkspaceStoreOptions): WorkspaceStore => openWorkspaceStore(newState(), options);

function describe(changes: readonly Change[]): Record<string, string> {
  const text = (change: Change) => {
    if (change.operation === "delete") return "gone";
    if (change.operation === "link") return `-> ${change.target}`;
    return `${change.executable ? "* " : ""}${Buffer.from(change.bytes).toString()}`;
  };
  return Object.fromEntries(changes.map((change) => [change.path, text(change)]));
}

const stored = (store: WorkspaceStore, session = "s") => describe(store.load(sessionOfDefault(session)).changes);

function countBlobs(state: string): number {
  const database = new DatabaseSync(join(state, "workspaces.sqlite"), { readOnly: true });
  const row = database.prepare("SELECT count(*) AS count FROM blobs").get();
  database.close();
  return Number(row?.["count"]);
}

test("what is saved is loaded again by another process's store, and the files are private", () => {
  const state = newState();
  const first = openWorkspaceStore(state);
  assert.deepEqual(first.load(sessionOfDefault("s")), { version: 0, changes: [] });
  valueOf(
    first.save(sessionOfDefault("s"), 0, [
      write("a", "1"),
      write("bin/run", "x", true),
      link("l", "a"),
      write("empty", ""),
    ]),
  );
  first.close();
  const second = openWorkspaceStore(state);
  assert.deepEqual(stored(second), { a: "1", "bin/run": "* x", l: "-> a", empty: "" });
  assert.deepEqual(stored(second, "other"), {});
  const { version } = second.load(sessionOfDefault("s"));
  valueOf(second.save(sessionOfDefault("s"), version, [write("a", "2"), remove("l"), remove("never")]));
  assert.deepEqual(stored(second), { a: "2", "bin/run": "* x", empty: "" });
  assert.deepEqual(
    second.sessions().map(({ key, files, bytes }) => [key, files, bytes]),
    [[sessionKey(sessionOfDefault("s")), 3, 2]],
  );
  for (const name of readdirSync(state)) assert.equal(statSync(join(state, name)).mode & 0o777, 0o600, name);
  assert.equal(statSync(state).mode & 0o777, 0o700);
  second.close();
});

test("the same bytes are on disk once, and gone with the last that has them", () => {
  const state = newState();
  const store = openWorkspaceStore(state);
  valueOf(store.save(sessionOfDefault("s"), 0, [write("a", "same"), write("b", "same"), write("c", "other")]));
  valueOf(store.save(sessionOfDefault("t"), 0, [write("a", "same")]));
  assert.equal(countBlobs(state), 2);
  valueOf(store.save(sessionOfDefault("s"), 3, [remove("a"), write("b", "new"), remove("c")]));
  assert.equal(countBlobs(state), 2);
  store.forget(sessionOfDefault("t"));
  store.forget(sessionOfDefault("never"));
  assert.equal(countBlobs(state), 1);
  assert.deepEqual(stored(store), { b: "new" });
  valueOf(store.save(sessionOfDefault("s"), 3, [write("b", "newer")]));
  assert.equal(countBlobs(state), 1);
  store.forget(sessionOfDefault("s"));
  assert.equal(countBlobs(state), 0);
  assert.deepEqual(store.sessions(), []);
  store.close();
});

test("two gates keep each other's files; of one path the later save stands; each is told what the other did", () => {
  const store = newStore();
  valueOf(store.save(sessionOfDefault("s"), 0, [write("both", "0"), write("old", "0")]));
  const { version } = store.load(sessionOfDefault("s"));
  const one = valueOf(
    store.save(sessionOfDefault("s"), version, [write("both", "one"), write("one", "1"), remove("old")]),
  );
  assert.deepEqual([describe(one.theirs), one.isWhole], [{}, false]);
  const two = valueOf(store.save(sessionOfDefault("s"), version, [write("both", "two"), write("two", "2")]));
  assert.deepEqual([describe(two.theirs), two.isWhole], [{ one: "1", old: "gone" }, false]);
  assert.deepEqual(stored(store), { both: "two", one: "1", two: "2" });
  const again = valueOf(store.save(sessionOfDefault("s"), one.version, []));
  assert.deepEqual(describe(again.theirs), { both: "two", two: "2" });
  store.close();
});

test("a file where another gate has a directory: the later one stands, and what is stored is a tree", () => {
  const store = newStore();
  valueOf(
    store.save(sessionOfDefault("s"), 0, [
      write("x", "file"),
      write("d/a", "1"),
      write("d/b", "2"),
      write("d0", "near"),
    ]),
  );
  const saved = valueOf(store.save(sessionOfDefault("s"), 0, [write("x/y/z", "below"), write("d", "file")]));
  assert.deepEqual(stored(store), { "x/y/z": "below", d: "file", d0: "near" });
  assert.deepEqual(describe(saved.theirs), { x: "gone", "d/a": "gone", "d/b": "gone", d0: "near" });
  store.close();
});

test("a session that was forgotten is not brought back by a gate that still has it", () => {
  const store = newStore();
  const { version } = valueOf(store.save(sessionOfDefault("s"), 0, [write("a", "1")]));
  store.forget(sessionOfDefault("s"));
  const saved = valueOf(store.save(sessionOfDefault("s"), version, [write("b", "2")]));
  assert.deepEqual([saved.isWhole, describe(saved.theirs)], [true, {}]);
  assert.deepEqual(stored(store), { b: "2" });
  store.close();
});

test("deletions that are too many are forgotten, and who is behind them gets everything", () => {
  const store = newStore({ goneMost: 10 });
  const first = valueOf(store.save(sessionOfDefault("s"), 0, [write("stays", "1")]));
  let { version } = first;
  for (let index = 0; index < 30; index += 1) {
    valueOf(store.save(sessionOfDefault("s"), version, [write(`t${index}`, "x")]));
    ({ version } = valueOf(store.save(sessionOfDefault("s"), version, [remove(`t${index}`)])));
  }
  const behind = valueOf(store.save(sessionOfDefault("s"), first.version, []));
  assert.deepEqual([behind.isWhole, describe(behind.theirs)], [true, { stays: "1" }]);
  assert.equal(valueOf(store.save(sessionOfDefault("s"), version, [])).isWhole, false);
  store.close();
});

test("what does not fit is refused, and nothing of it is stored", () => {
  const small = newStore({ limits: { fileBytes: 100, totalBytes: 10, fileCount: 3 } });
  valueOf(small.save(sessionOfDefault("s"), 0, [write("a", "12345"), write("b", "12345")]));
  assert.match(
    refusalOf(small.save(sessionOfDefault("s"), 0, [write("c", ""), write("a", "123456")])),
    /^tool_failed: .* 11 bytes/,
  );
  assert.match(
    refusalOf(small.save(sessionOfDefault("s"), 0, [write("c", ""), write("d", "")])),
    /^tool_failed: .* 4 files/,
  );
  assert.deepEqual(stored(small), { a: "12345", b: "12345" });
  small.close();
  const full = newStore({ totalBytes: 200_000 });
  valueOf(full.save(sessionOfDefault("s"), 0, [write("a", "a".repeat(50_000))]));
  assert.match(
    refusalOf(full.save(sessionOfDefault("t"), 0, [write("b", "b".repeat(200_000))])),
    /kept sessions .* 200000 bytes/,
  );
  assert.deepEqual(stored(full, "t"), {});
  full.forget(sessionOfDefault("s"));
  valueOf(full.save(sessionOfDefault("t"), 0, [write("b", "b".repeat(50_000))]));
  full.close();
});

test("a save that fails half way leaves the last one whole", () => {
  const state = newState();
  const store = openWorkspaceStore(state);
  valueOf(store.save(sessionOfDefault("s"), 0, [write("a", "1")]));
  const database = new DatabaseSync(join(state, "workspaces.sqlite"));
  database.exec(
    "CREATE TRIGGER stop BEFORE INSERT ON files WHEN new.path = 'bad' BEGIN SELECT raise(ABORT, 'no'); END",
  );
  assert.throws(() => store.save(sessionOfDefault("s"), 0, [write("a", "2"), remove("a2"), write("bad", "x")]), /no/);
  database.exec("DROP TRIGGER stop");
  database.close();
  assert.deepEqual(stored(store), { a: "1" });
  store.close();
});

test("whatever is saved in whatever order, the store is a map in which the last save of a path stands", () => {
  const anyPath = fc.constantFrom("a", "b", "c/d", "c/e");
  const anyChange = fc.oneof(
    fc.tuple(anyPath, fc.constantFrom("", "1", "2"), fc.boolean()).map((change) => write(...change)),
    anyPath.map((path) => link(path, "e")),
    anyPath.map(remove),
  );
  const anySave = fc.record({
    session: fc.constantFrom("s", "t"),
    changes: fc.uniqueArray(anyChange, { maxLength: 3, selector: ({ path }) => path }),
  });
  const store = newStore({ goneMost: 2 });
  fc.assert(
    fc.property(fc.array(anySave, { maxLength: 12 }), (saves) => {
      store.forget(sessionOfDefault("s"));
      store.forget(sessionOfDefault("t"));
      const model: Record<string, Record<string, string>> = { s: {}, t: {} };
      for (const { session, changes } of saves) {
        valueOf(store.save(sessionOfDefault(session), store.load(sessionOfDefault(session)).version, changes));
        Object.assign(model[session] as object, describe(changes));
      }
      for (const [session, files] of Object.entries(model)) {
        const live = Object.fromEntries(Object.entries(files).filter(([, text]) => text !== "gone"));
        assert.deepEqual(stored(store, session), live);
        const sizes = store
          .load(sessionOfDefault(session))
          .changes.map((change) => (change.operation === "write" ? change.bytes.length : 1));
        const listed = store.sessions().find(({ key }) => key === sessionKey(sessionOfDefault(session)));
        assert.deepEqual(
          [listed?.files ?? 0, listed?.bytes ?? 0],
          [sizes.length, sizes.reduce((sum, size) => sum + size, 0)],
        );
      }
    }),
    { numRuns: 60 },
  );
  store.close();
});

function worker(state: string, count: number, name: string): ChildProcess {
  const script = join(import.meta.dirname, "workspace-worker.ts");
  return spawn(process.execPath, [script, state, String(count), name], { stdio: ["ignore", "pipe", "inherit"] });
}

test("processes that save the same session at once lose nothing", async () => {
  const state = newState();
  const names = ["one", "two", "three"];
  const exits = await Promise.all(names.map(async (name) => (await once(worker(state, 40, name), "exit"))[0]));
  assert.deepEqual(exits, [0, 0, 0]);
  const store = openWorkspaceStore(state);
  const files = stored(store, "shared");
  for (const name of names) {
    for (let index = 1; index <= 40; index += 1) assert.equal(files[`${name}/each/${index}`], `${name} ${index}`);
  }
  assert.equal(Object.keys(files).length, 3 * 43);
  store.close();
});

test("a process that is killed leaves its last save whole, and everything it was told is saved", async () => {
  const state = newState();
  for (let round = 0; round < 6; round += 1) {
    const name = `round${round}`;
    const child = worker(state, 0, name);
    let told = "";
    child.stdout?.on("data", (chunk) => (told += String(chunk)));
    while (told.split("\n").length < 4 + round * 3) await once(child.stdout as NodeJS.ReadableStream, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    const store = openWorkspaceStore(state);
    const files = stored(store, "shared");
    const last = Number(told.trim().split("\n").at(-1));
    const numbers = ["x", "y", "z"].map((file) => Number(files[`${name}/${file}`]?.split(" ")[0]));
    assert.equal(new Set(numbers).size, 1, `half of a batch: ${numbers.join()}`);
    assert.ok((numbers[0] as number) >= last);
    for (let index = 1; index <= (numbers[0] as number); index += 1) assert.ok(`${name}/each/${index}` in files);
    store.close();
  }
});
