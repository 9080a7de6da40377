// Stores of earlier versions have a session's name alone: each row becomes the session of the agent that the record names.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { agentByRecord } from "../../src/runtime/session.ts";
import { sessionKey } from "../../src/shared/session-id.ts";
import { keySessions } from "../../src/store/session-keys.ts";
import { openWorkspaceStore } from "../../src/store/workspaces.ts";
import { sessionOfDefault } from "../fixtures/session-id.ts";

const inRecord = agentByRecord({
  sessions: () =>
    [
      ["one", "dev"],
      ["shared", "dev"],
      ["shared", "other"],
      ['["dev","one"]', "dev"],
    ].map(([name = "", agent = ""]) => ({ name, agent, calls: 1, refused: 0, first: "", last: "" })),
});

test("a name becomes the key of its one agent; what two agents used, or nobody is known for, is nobody's", () => {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE a (name TEXT NOT NULL UNIQUE); CREATE TABLE b (session TEXT NOT NULL)");
  const names = ["one", "shared", "unknown", '["dev","one"]'];
  for (const name of names) database.prepare("INSERT INTO a VALUES (?)").run(name);
  database.exec("INSERT INTO b VALUES ('one'), ('one')");
  const keys = () =>
    database
      .prepare("SELECT name FROM a ORDER BY rowid")
      .all()
      .map((row) => row["name"]);
  for (let times = 0; times < 2; times += 1) {
    keySessions(database, ["a.name", "b.session"], inRecord);
    assert.deepEqual(keys(), [
      sessionKey({ agent: "dev", name: "one" }),
      sessionKey({ agent: "", name: "shared" }),
      sessionKey({ agent: "", name: "unknown" }),
      sessionKey({ agent: "dev", name: '["dev","one"]' }),
    ]);
  }
  const used = database.prepare("SELECT DISTINCT session FROM b").all();
  assert.deepEqual(
    used.map((row) => row["session"]),
    [sessionKey({ agent: "dev", name: "one" })],
  );
});

test("the files of a session that an earlier version kept are its agent's, and no other's", (t) => {
  const state = join(mkdtempSync(join(tmpdir(), "sallyport-keys-")), "state");
  t.after(() => rmSync(join(state, ".."), { recursive: true }));
  const first = openWorkspaceStore(state);
  const bytes = Buffer.from("kept");
  assert.ok(
    first.save(sessionOfDefault("x"), 0, [{ operation: "write", path: "a" as never, bytes, executable: false }]).ok,
  );
  first.close();
  const database = new DatabaseSync(join(state, "workspaces.sqlite"));
  database.exec("UPDATE sessions SET name = 'x'; PRAGMA user_version = 0");
  database.close();
  const again = openWorkspaceStore(state, { agentOf: (name) => (name === "x" ? "dev" : null) });
  assert.equal(again.load({ agent: "dev", name: "x" }).changes.length, 1);
  assert.equal(again.load(sessionOfDefault("x")).changes.length, 0);
  again.close();
});
