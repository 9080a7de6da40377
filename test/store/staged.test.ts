import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { contentHash, type FileState, type LandedCommit, type StagedCommit } from "../../src/git/staged.ts";
import { nodeHashes } from "../../src/process/node-hashes.ts";
import { openStagedStore } from "../../src/store/staged.ts";
import { sessionOfDefault } from "../fixtures/session-id.ts";

const made: string[] = [];
after(() => made.forEach((directory) => rmSync(directory, { recursive: true, force: true })));

function newState(): string {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-staged-"));
  made.push(directory);
  return join(directory, "state");
}

const bytesOf = (text: string) => Buffer.from(text);
const contentOf = (text: string) => ({ hash: contentHash(nodeHashes, bytesOf(text)), bytes: bytesOf(text) });

function stateOf(text: string): FileState {
  return { contentHash: contentHash(nodeHashes, bytesOf(text)), size: text.length, mode: "100644" };
}

/** One file for each text; `before`: what was pulled there. */
function commitOf(id: string, session: string, texts: readonly string[], before: string | null = null): StagedCommit {
  const files = texts.map((text, index) => ({
    path: `f${index}`,
    operation: before === null ? ("create" as const) : ("update" as const),
    after: stateOf(text),
    before: before === null ? null : stateOf(before),
  }));
  return { id, session, agent: "default", message: `message of ${id}`, files, createdAt: 1_000 + id.length };
}

function landedAs(commitSha: string): LandedCommit {
  const result = { commitSha, branch: "x", createdBranch: true, previousSha: null, target: "/r", filesChanged: 1 };
  return { result: { ...result, notes: ["f0 was changed meanwhile"] }, asked: { place: "/r", branch: "x" } };
}

function withDatabase<T>(state: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(state, "staged.sqlite"));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const count = (state: string, table: string) =>
  withDatabase(state, (database) => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]));

test("what is staged is found again by another store, oldest first; its files are private", () => {
  const state = newState();
  const first = openStagedStore(state);
  const commits = [
    commitOf("c-1", "s", ["one", "two"]),
    commitOf("c-22", "s", ["three"]),
    commitOf("c-333", "t", ["one"]),
  ];
  for (const commit of [...commits].reverse())
    first.stage(
      commit,
      commit.files.flatMap(({ after }) => (after === null ? [] : ["one", "two", "three"].map(contentOf))),
    );
  first.close();
  const second = openStagedStore(state);
  assert.deepEqual(second.list(sessionOfDefault("s")), commits.slice(0, 2));
  assert.deepEqual(second.list(null), commits);
  assert.deepEqual(second.find("c-333", sessionOfDefault("t")), commits[2]);
  assert.equal(Buffer.from(second.content(contentHash(nodeHashes, bytesOf("two")))).toString(), "two");
  second.close();
  for (const name of readdirSync(state)) assert.equal(statSync(join(state, name)).mode & 0o777, 0o600, name);
  assert.equal(statSync(state).mode & 0o777, 0o700);
});

test("another session neither finds nor discards it", () => {
  const store = openStagedStore(newState());
  store.stage(commitOf("c-1", "s", ["one"]), [contentOf("one")]);
  assert.equal(store.find("c-1", sessionOfDefault("t")), undefined);
  assert.deepEqual(store.list(sessionOfDefault("t")), []);
  assert.equal(store.discard("c-1", sessionOfDefault("t")), false);
  assert.equal(store.list(sessionOfDefault("s")).length, 1);
  for (const id of ["constructor", "__proto__", "", "c-1' OR '1'='1"])
    assert.equal(store.find(id, sessionOfDefault("s")), undefined);
  store.notePulled(
    sessionOfDefault("s"),
    [{ path: "f", ...stateOf("one"), source: "/r", commit: "1" }],
    [],
    [contentOf("one")],
  );
  assert.equal(store.pulled(sessionOfDefault("t")).size, 0);
  assert.equal(store.pulled(sessionOfDefault("s")).size, 1);
  store.close();
});

test("a commit that fails half way, or has an id that is taken, leaves nothing", () => {
  const state = newState();
  const store = openStagedStore(state);
  store.stage(commitOf("c-1", "s", ["one"]), [contentOf("one")]);
  withDatabase(state, (database) =>
    database.exec(
      "CREATE TRIGGER stop BEFORE INSERT ON piece_uses WHEN new.owner = 'commit bad' BEGIN SELECT raise(ABORT, 'no'); END",
    ),
  );
  assert.throws(() => store.stage(commitOf("bad", "s", ["two"]), [contentOf("two")]), /no/);
  assert.throws(() => store.stage(commitOf("c-1", "t", ["three"]), [contentOf("three")]));
  assert.deepEqual(
    store.list(null).map(({ id, session }) => `${id} ${session}`),
    ["c-1 s"],
  );
  assert.equal(count(state, "pieces"), 1);
  store.close();
});

test("content that was changed, or is gone, is not given out", () => {
  const state = newState();
  const store = openStagedStore(state);
  store.stage(commitOf("c-1", "s", ["one"]), [contentOf("one")]);
  store.stage(commitOf("c-2", "s", ["two"]), [contentOf("two")]);
  store.stage(commitOf("c-3", "s", ["three"]), [
    { ...contentOf("other"), hash: contentHash(nodeHashes, bytesOf("three")) },
  ]);
  const [one, two, three] = ["one", "two", "three"].map((text) => contentHash(nodeHashes, bytesOf(text))) as string[];
  assert.equal(Buffer.from(store.content(one as string)).toString(), "one");
  store.close();
  const pieceOf = "contents LIKE '%' || ? || '%'";
  withDatabase(state, (database) => {
    database.prepare(`UPDATE pieces SET bytes = ? WHERE ${pieceOf}`).run(bytesOf("ONE"), one as string);
    database.prepare(`DELETE FROM pieces WHERE ${pieceOf}`).run(two as string);
  });
  for (const session of [sessionOfDefault("s"), undefined]) {
    const again = openStagedStore(state);
    for (const hash of [one, two, three, "nothing"])
      assert.throws(() => again.content(hash as string, session), /not kept, or was changed/);
    again.close();
  }
});

test("the same bytes are kept once, as long as a commit or what was pulled has them", () => {
  const state = newState();
  const store = openStagedStore(state);
  store.notePulled(
    sessionOfDefault("s"),
    [{ path: "f0", ...stateOf("old"), source: "/r", commit: "1" }],
    [],
    [contentOf("old")],
  );
  store.stage(commitOf("c-1", "s", ["same", "same"], "old"), [contentOf("same"), contentOf("same")]);
  store.stage(commitOf("c-2", "s", ["same", "other"]), [contentOf("same"), contentOf("other")]);
  assert.equal(count(state, "pieces"), 3);
  assert.equal(store.discard("c-2", sessionOfDefault("s")), true);
  assert.equal(store.discard("c-2", sessionOfDefault("s")), false);
  assert.equal(count(state, "pieces"), 2);
  assert.equal(store.discard("c-1", sessionOfDefault("s")), true);
  assert.equal(count(state, "pieces"), 1, "what was pulled is still compared with");
  assert.equal(Buffer.from(store.content(contentHash(nodeHashes, bytesOf("old")))).toString(), "old");
  store.close();
});

test("what is pulled again takes the place of what was, and its old bytes go", () => {
  const state = newState();
  const store = openStagedStore(state);
  const note = (text: string, path = "f") =>
    store.notePulled(
      sessionOfDefault("s"),
      [{ path, ...stateOf(text), source: "/r", commit: text }],
      [],
      [contentOf(text)],
    );
  for (let index = 0; index < 20; index += 1) note(`version ${index}`);
  note("kept", "g");
  assert.deepEqual(
    [...store.pulled(sessionOfDefault("s")).values()].map(({ path, commit }) => `${path} ${commit}`),
    ["f version 19", "g kept"],
  );
  assert.equal(count(state, "pieces"), 2);
  store.notePulled(sessionOfDefault("s"), [], ["f", "never"], []);
  assert.deepEqual([...store.pulled(sessionOfDefault("s")).keys()], ["g"]);
  assert.equal(count(state, "pieces"), 1);
  store.close();
});

test("a push: what landed is the new state to compare with, and its bytes outlive the commit", () => {
  const state = newState();
  const store = openStagedStore(state);
  store.stage(commitOf("c-1", "s", ["landed"]), [contentOf("landed")]);
  store.notePulled(sessionOfDefault("s"), [{ path: "f0", ...stateOf("landed"), source: "/r", commit: "1" }], [], []);
  store.discard("c-1", sessionOfDefault("s"));
  assert.equal(Buffer.from(store.content(contentHash(nodeHashes, bytesOf("landed")))).toString(), "landed");
  store.close();
});

function worker(state: string, name: string): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, "staged-worker.ts"), state, name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

test("processes that are killed leave whole commits only, and everything they were told is there", async () => {
  const state = newState();
  for (let round = 0; round < 8; round += 1) {
    const names = [`a${round}`, `b${round}`];
    const told = await Promise.all(
      names.map(async (name) => {
        const child = worker(state, name);
        let text = "";
        child.stdout?.on("data", (chunk) => (text += String(chunk)));
        while (text.split("\n").length < 4 + round * 2) await once(child.stdout as NodeJS.ReadableStream, "data");
        child.kill("SIGKILL");
        await once(child, "exit");
        return Number(text.trim().split("\n").at(-1));
      }),
    );
    const store = openStagedStore(state);
    for (const [place, name] of names.entries()) {
      const commits = store.list(sessionOfDefault("shared")).filter(({ id }) => id.startsWith(`${name}-`));
      const numbers = new Set(commits.map(({ id }) => Number(id.split("-")[1])));
      for (let index = 1; index <= (told[place] as number); index += 1)
        assert.equal(numbers.has(index), index % 3 !== 0, `${name}-${index}`);
      for (const { files } of commits) {
        assert.equal(files.length, 3);
        for (const { after } of files) assert.equal(store.content(after?.contentHash ?? "").length, after?.size);
      }
    }
    store.close();
  }
  const left = withDatabase(state, (database) =>
    database.prepare("SELECT count(*) AS n FROM pieces WHERE id NOT IN (SELECT piece FROM piece_uses)").get(),
  );
  assert.equal(Number(left?.["n"]), 0);
});

test("what another store has put elsewhere meanwhile is found there", () => {
  const state = newState();
  const [one, other] = [openStagedStore(state), openStagedStore(state)];
  one.stage(commitOf("c-1", "s", ["same"]), [contentOf("same")]);
  const { hash } = contentOf("same");
  assert.equal(Buffer.from(one.content(hash, sessionOfDefault("s"))).toString(), "same");
  other.discard("c-1", sessionOfDefault("s"));
  assert.throws(() => (one.find("c-1", sessionOfDefault("s")), one.content(hash, sessionOfDefault("s"))), /not kept/);
  other.stage(commitOf("c-2", "s", ["more", "same"]), [contentOf("more"), contentOf("same")]);
  assert.equal(Buffer.from(one.content(hash, sessionOfDefault("s"))).toString(), "same");
  assert.equal(Buffer.from(one.content(hash)).toString(), "same");
  one.close();
  other.close();
});

test("thousands of files are few rows, each with its own bytes; what is pulled often is one layer again", () => {
  const state = newState();
  const store = openStagedStore(state);
  const texts = Array.from({ length: 3_000 }, (_, index) => `${index} `.repeat(1 + (index % 60)));
  store.stage(commitOf("c-1", "s", texts), texts.map(contentOf));
  assert.ok(count(state, "pieces") < 10);
  for (const text of texts)
    assert.equal(Buffer.from(store.content(contentOf(text).hash, sessionOfDefault("s"))).toString(), text);
  const pulled = texts.map((text, index) => ({ path: `f${index}`, ...stateOf(text), source: "/r", commit: "1" }));
  store.noteLanded("c-1", sessionOfDefault("s"), landedAs("1"), pulled, ["d1", "d2", "d3"]);
  assert.equal(store.find("c-1", sessionOfDefault("s")), undefined);
  store.notePulled(
    sessionOfDefault("s"),
    [{ path: "d1", ...stateOf("d"), source: "/r", commit: "2" }],
    ["d2"],
    [contentOf("d")],
  );
  for (let round = 0; round < 40; round += 1) {
    const text = `changed ${round}`;
    store.notePulled(
      sessionOfDefault("s"),
      [{ path: `f${round}`, ...stateOf(text), source: "/r", commit: "2" }],
      [`f${2_999 - round}`],
      [contentOf(text)],
    );
  }
  assert.ok(count(state, "pulled_layers") <= 17);
  store.close();
  const opened = openStagedStore(state);
  assert.deepEqual([...opened.deleted(sessionOfDefault("s"))], ["d3"]);
  const again = opened.pulled(sessionOfDefault("s"));
  assert.equal(again.size, 2_961);
  assert.deepEqual([again.get("f39")?.commit, again.get("f40")?.commit, again.has("f2999")], ["2", "1", false]);
});

test("what landed is told again, in its session alone: by another store, and after kill -9", async () => {
  const state = newState();
  const store = openStagedStore(state);
  for (const session of ["s", "t"]) store.stage(commitOf(`c-${session}`, session, ["one"]), [contentOf("one")]);
  assert.equal(store.landed("c-s", sessionOfDefault("s")), undefined);
  store.noteLanded("c-s", sessionOfDefault("s"), landedAs("1"), [], []);
  const source = `import { openStagedStore } from ${JSON.stringify(join(import.meta.dirname, "../../src/store/staged.ts"))};
    const store = openStagedStore(${JSON.stringify(state)});
    store.noteLanded("c-t", { agent: "default", name: "t" }, ${JSON.stringify(landedAs("2"))}, [], []);
    process.kill(process.pid, "SIGKILL");`;
  const killed = spawn(process.execPath, ["--input-type=module", "--eval", source], { stdio: "ignore" });
  assert.deepEqual(await once(killed, "exit"), [null, "SIGKILL"]);
  store.close();
  const again = openStagedStore(state);
  assert.deepEqual(again.list(null), []);
  assert.deepEqual(again.landed("c-s", sessionOfDefault("s")), landedAs("1"));
  assert.deepEqual(again.landed("c-t", sessionOfDefault("t")), landedAs("2"));
  assert.equal(again.landed("c-t", sessionOfDefault("s")), undefined);
  again.close();
});

test("of what landed, each session keeps its last 200; a file from before it was kept is carried over", () => {
  const state = newState();
  openStagedStore(state).list(null);
  withDatabase(state, (database) => database.exec("DROP TABLE landed"));
  const store = openStagedStore(state);
  store.noteLanded("c-other", sessionOfDefault("t"), landedAs("0"), [], []);
  for (let index = 0; index < 205; index += 1)
    store.noteLanded(`c-${index}`, sessionOfDefault("s"), landedAs(String(index)), [], []);
  assert.equal(count(state, "landed"), 201);
  assert.equal(store.landed("c-4", sessionOfDefault("s")), undefined);
  assert.equal(store.landed("c-5", sessionOfDefault("s"))?.result.commitSha, "5");
  assert.equal(store.landed("c-other", sessionOfDefault("t"))?.result.commitSha, "0");
  store.close();
});

test("a file of the first version is carried over: what was staged and pulled there is still there", () => {
  const state = newState();
  openStagedStore(state).list(null);
  const commit = commitOf("c-1", "s", ["one", "two"]);
  withDatabase(state, (database) => {
    database.exec(`
      CREATE TABLE contents (hash TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
      CREATE TABLE uses (hash TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (hash, owner)) STRICT, WITHOUT ROWID;
      CREATE TABLE pulled (session TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, file TEXT NOT NULL, PRIMARY KEY (session, path)) STRICT, WITHOUT ROWID`);
    for (const text of ["one", "two", "pulled"])
      database.prepare("INSERT INTO contents VALUES (?, ?)").run(contentOf(text).hash, bytesOf(text));
    database
      .prepare("INSERT INTO commits VALUES (?, ?, ?, ?)")
      .run(commit.id, commit.session, commit.createdAt, JSON.stringify(commit));
    database.exec("PRAGMA user_version = 0");
    const file = { path: "q", ...stateOf("pulled"), source: "/r", commit: "1" };
    database.prepare("INSERT INTO pulled VALUES (?, ?, ?, ?)").run("s", "q", file.contentHash, JSON.stringify(file));
  });
  for (const store of [openStagedStore(state, () => "default"), openStagedStore(state)]) {
    assert.deepEqual(store.find("c-1", sessionOfDefault("s")), commit);
    assert.equal(store.pulled(sessionOfDefault("s")).get("q")?.commit, "1");
    for (const text of ["one", "two", "pulled"])
      assert.equal(Buffer.from(store.content(contentOf(text).hash, sessionOfDefault("s"))).toString(), text);
    store.close();
  }
  assert.throws(() => count(state, "contents"), /no such table/);
});

test("who reads what was pulled never meets half of a change by another process", async () => {
  const state = newState();
  const source = `import { openStagedStore } from ${JSON.stringify(join(import.meta.dirname, "../../src/store/staged.ts"))};
    const store = openStagedStore(${JSON.stringify(state)});
    const file = { path: "f", contentHash: "0", size: 0, mode: "100644", source: "/r", commit: "1" };
    for (let round = 0; round < 400; round += 1) store.notePulled({ agent: "default", name: "s" }, [{ ...file, commit: String(round) }], [], []);`;
  const store = openStagedStore(state);
  const writer = spawn(process.execPath, ["--input-type=module", "--eval", source], { stdio: "ignore" });
  const gone = once(writer, "exit");
  let reads = 0;
  let last = -1;
  while (writer.exitCode === null) {
    const now = Number(store.pulled(sessionOfDefault("s")).get("f")?.commit ?? -1);
    assert.ok(now >= last);
    last = now;
    reads += 1;
    if (reads % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await gone;
  assert.equal(store.pulled(sessionOfDefault("s")).get("f")?.commit, "399");
  assert.ok(reads > 100);
  store.close();
});
