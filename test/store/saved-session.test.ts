import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { saveSession } from "../../src/store/saved-session.ts";
import { openWorkspaceStore, type WorkspaceStore, type WorkspaceStoreOptions } from "../../src/store/workspaces.ts";
import { createMemoryWorkspace } from "../../src/workspace/memory.ts";
import type { Change, Workspace, WorkspaceLimits } from "../../src/workspace/workspace.ts";
import { contentOf, link, refusalOf, remove, valueOf, write } from "../contracts/workspace.ts";
import { sessionOfDefault } from "../fixtures/session-id.ts";

const made: string[] = [];
after(() => made.forEach((directory) => rmSync(directory, { recursive: true, force: true })));

function newStore(options?: WorkspaceStoreOptions): WorkspaceStore {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-kept-"));
  made.push(directory);
  return openWorkspaceStore(join(directory, "state"), options);
}

const keep = async (store: WorkspaceStore, session = "s", limits?: WorkspaceLimits) =>
  valueOf(await saveSession(createMemoryWorkspace(limits), store, sessionOfDefault(session)));

const change = async (workspace: Workspace, ...changes: Change[]) => valueOf(await workspace.apply(changes));

test("a workspace that is opened again has what was saved", async () => {
  const store = newStore();
  const kept = await keep(store);
  await change(kept.workspace, write("a", "1"), write("run", "x", true), link("l", "a"));
  valueOf(await kept.save());
  await change(kept.workspace, write("a", "2"), remove("l"));
  valueOf(await kept.save());
  await change(kept.workspace, write("a", "not saved"));
  assert.deepEqual(await contentOf((await keep(store)).workspace), { a: "2", run: "* x" });
  assert.deepEqual(await contentOf((await keep(store, "other")).workspace), {});
  store.close();
});

test("a refresh takes what another gate saved, again and again, and writes nothing", async () => {
  const store = newStore();
  const [one, two] = [await keep(store), await keep(store)];
  await change(one.workspace, write("a", "1"), write("b", "1"));
  valueOf(await one.save());
  const before = store.sessions();
  valueOf(await two.refresh());
  assert.deepEqual(await contentOf(two.workspace), { a: "1", b: "1" });
  assert.deepEqual(store.sessions(), before);
  await change(one.workspace, write("a", "2"), remove("b"));
  valueOf(await one.save());
  await change(two.workspace, write("own", "x"));
  valueOf(await two.refresh());
  assert.deepEqual(await contentOf(two.workspace), { a: "2", own: "x" });
  valueOf(await two.save());
  valueOf(await one.refresh());
  assert.deepEqual(await contentOf(one.workspace), { a: "2", own: "x" });
  store.close();
});

test("only what changed is saved, and what came from another gate is not saved back over its newer state", async () => {
  const store = newStore();
  const saves: string[][] = [];
  const watched: WorkspaceStore = {
    load: (session) => store.load(session),
    save: (session, since, changes) => {
      saves.push(changes.map(({ path }) => path).sort());
      return store.save(session, since, changes);
    },
    isCurrent: (session, since) => store.isCurrent(session, since),
    changesSince: (session, since) => store.changesSince(session, since),
    forget: (session) => store.forget(session),
    sessions: () => store.sessions(),
    close: () => store.close(),
  };
  const [one, two] = [await keep(watched), await keep(watched)];
  await change(one.workspace, write("a", "1"), write("b", "1"));
  valueOf(await one.save());
  valueOf(await two.save());
  assert.deepEqual(await contentOf(two.workspace), { a: "1", b: "1" });
  await change(one.workspace, write("a", "2"), remove("b"));
  valueOf(await one.save());
  await change(two.workspace, write("c", "1"));
  valueOf(await two.save());
  assert.deepEqual(saves, [["a", "b"], [], ["a", "b"], ["c"]]);
  valueOf(await one.save());
  for (const { workspace } of [one, two, await keep(store)])
    assert.deepEqual(await contentOf(workspace), { a: "2", c: "1" });
  store.close();
});

test("a save that would change nothing writes nothing; one after another gate's save or deletion still takes it", async () => {
  let now = 1;
  const store = newStore({ clock: { now: () => now++, monotonic: () => 0 } });
  const [one, two] = [await keep(store), await keep(store)];
  valueOf(await one.save());
  const [first] = store.sessions();
  assert.deepEqual([first?.files, first?.savedAt], [0, 1]); // a session is kept from its first save on
  valueOf(await one.save());
  assert.deepEqual(store.sessions(), [first]);
  await change(one.workspace, write("a", "1"));
  valueOf(await one.save());
  valueOf(await two.save());
  assert.deepEqual(await contentOf(two.workspace), { a: "1" });
  const before = store.sessions();
  valueOf(await two.save());
  valueOf(await one.save());
  assert.deepEqual(store.sessions(), before);
  await change(two.workspace, remove("a"));
  valueOf(await two.save());
  valueOf(await one.save());
  assert.deepEqual(await contentOf(one.workspace), {});
  await change(one.workspace, write("b", "1"));
  valueOf(await one.save());
  store.forget(sessionOfDefault("s"));
  valueOf(await one.save());
  assert.deepEqual(await contentOf(one.workspace), {}, "a forgotten session is gone here, too");
  store.close();
});

test("changes that are made while it saves are not lost", async () => {
  const store = newStore();
  const [one, two] = [await keep(store), await keep(store)];
  await change(two.workspace, write("theirs", "1"), write("both", "two"));
  valueOf(await two.save());
  await change(one.workspace, write("a", "1"));
  const saving = one.save();
  const meanwhile = change(one.workspace, write("both", "one"), write("late", "1"));
  valueOf(await saving);
  await meanwhile;
  valueOf(await one.save());
  assert.deepEqual(await contentOf(one.workspace), { a: "1", both: "one", late: "1", theirs: "1" });
  assert.deepEqual(await contentOf((await keep(store)).workspace), await contentOf(one.workspace));
  store.close();
});

test("what is changed here between a save and what it brings in stays, and is saved next", async () => {
  const store = newStore();
  const other = await keep(store);
  let act = () => {};
  const kept = await keep({
    load: (session) => store.load(session),
    save: (session, since, changes) => {
      const saved = store.save(session, since, changes);
      act();
      return saved;
    },
    isCurrent: (session, since) => store.isCurrent(session, since),
    changesSince: (session, since) => store.changesSince(session, since),
    forget: (session) => store.forget(session),
    sessions: () => store.sessions(),
    close: () => store.close(),
  });
  await change(other.workspace, write("both", "theirs"), write("x", "1"));
  valueOf(await other.save());
  let made: Promise<unknown> = Promise.resolve();
  act = () => {
    made = change(kept.workspace, write("both", "ours"));
    act = () => {};
  };
  valueOf(await kept.save());
  await made;
  assert.deepEqual(await contentOf(kept.workspace), { both: "ours", x: "1" });
  valueOf(await kept.save());
  assert.deepEqual(await contentOf((await keep(store)).workspace), { both: "ours", x: "1" });
  store.close();
});

test("a session that was forgotten empties the gates that have it, but for what is new in them", async () => {
  const store = newStore();
  const kept = await keep(store);
  await change(kept.workspace, write("old", "1"));
  valueOf(await kept.save());
  store.forget(sessionOfDefault("s"));
  await change(kept.workspace, write("new", "1"));
  valueOf(await kept.save());
  assert.deepEqual(await contentOf(kept.workspace), { new: "1" });
  store.close();
});

test("what does not fit is said, and comes when there is room", async () => {
  const store = newStore();
  const [one, two] = [await keep(store), await keep(store, "s", { fileBytes: 10, totalBytes: 10, fileCount: 10 })];
  await change(two.workspace, write("mine", "12345"));
  await change(one.workspace, write("theirs", "1234567"));
  valueOf(await one.save());
  assert.match(refusalOf(await two.save()), /^tool_failed: .* 12 bytes/);
  await change(two.workspace, write("mine", "1"));
  valueOf(await two.save());
  assert.deepEqual(await contentOf(two.workspace), { mine: "1", theirs: "1234567" });
  store.close();
});

test("whatever several gates do, once all have saved they have the same, and it is what is stored", async () => {
  const anyPath = fc.constantFrom("a", "b", "a/b", "c/d", "c");
  const anyStep = fc.record({
    gate: fc.nat(2),
    change: fc.option(
      fc.oneof(
        fc.tuple(anyPath, fc.constantFrom("1", "2")).map((one) => write(...one)),
        anyPath.map(remove),
      ),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 20 }), fc.constantFrom(1, 100), async (steps, goneMost) => {
      const store = newStore({ goneMost });
      const gates = [await keep(store), await keep(store), await keep(store)];
      for (const { gate, change: one } of steps) {
        const kept = gates[gate] as (typeof gates)[number];
        if (one === null) valueOf(await kept.save());
        else await kept.workspace.apply([one]);
      }
      for (const kept of [...gates, ...gates]) valueOf(await kept.save());
      const expected = await contentOf((await keep(store)).workspace);
      for (const { workspace } of gates) assert.deepEqual(await contentOf(workspace), expected);
      store.close();
    }),
    { numRuns: 60 },
  );
});
