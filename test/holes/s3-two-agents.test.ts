// S3: two agents on one state. The name of a session was put together as text, so that agent `dev` with `ro-x` and agent
// `dev-ro` with `x` had the same one.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { newCliUser, type CliUser } from "../fixtures/cli.ts";
import { type HttpServer, overHttp, startHttp, type TestClient } from "../fixtures/mcp.ts";

const secret = "private code of the second agent\n";

/** Two agents; only the second may read the repository. */
function twoAgents(person: CliUser): string {
  const repository = join(person.project, "..", "secret");
  mkdirSync(repository, { recursive: true });
  writeFileSync(join(repository, "private.txt"), secret);
  const git = (...args: string[]) => execFileSync("git", ["-C", repository, ...args]);
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "first");
  const tools = `tool_grants: ["git_*", "*_file", "*_files"]`;
  writeFileSync(
    person.configFile,
    `version: 1
agents:
  dev: { ${tools}, fs_grants: [{ path: /usr, mode: r }] }
  dev-ro: { ${tools}, fs_grants: [{ path: /usr, mode: r }, { path: ${repository}, mode: r }] }
workspace: { kind: memory }
approvals: { mode: deny }
`,
  );
  return repository;
}

async function listed(client: TestClient): Promise<readonly string[]> {
  const { reply, text } = await client.call("list_files", {});
  assert.ok(reply.ok, text);
  return (reply.result as { files: readonly { path: string }[] }).files.map(({ path }) => path);
}

const at = (server: HttpServer, session: string) => ({ ...server, url: `${server.url}?session=${session}` });

test("over HTTP, no name of one agent's session is another agent's session", async (t) => {
  const person = newCliUser(t, []);
  const repository = twoAgents(person);
  const [dev, reader] = [
    await startHttp(t, person, ["--agent", "dev"]),
    await startHttp(t, person, ["--agent", "dev-ro"]),
  ];
  const owner = await overHttp(t, at(reader, "x"), { kind: "2026" });
  const source = { type: "local", path: repository };
  const pulled = await owner.call("git_pull", { source, paths: ["private.txt"] });
  assert.ok(pulled.reply.ok, pulled.text);
  await owner.call("write_file", { path: "note.txt", content: "a note\n" });
  const staged = await owner.call("git_stage", { files: ["note.txt"], message: "A note" });
  assert.ok(staged.reply.ok, staged.text);
  assert.deepEqual(await listed(owner), ["/workspace/note.txt", "/workspace/private.txt"], "the control");
  for (const name of ["ro-x", "x", "-ro-x", "dev-ro-x", "http-dev-ro-x"]) {
    const other = await overHttp(t, at(dev, name), { kind: "2026" });
    assert.equal((await other.call("git_pull", { source, paths: ["private.txt"] })).reply.ok, false, "not granted");
    assert.deepEqual(await listed(other), [], name);
    assert.equal((await other.call("read_file", { path: "private.txt" })).reply.ok, false, name);
    const { reply } = await other.call("git_status", {});
    assert.ok(reply.ok);
    assert.equal(JSON.stringify(reply.result).includes("A note"), false, name);
    assert.ok((await other.call("write_file", { path: "private.txt", content: "planted" })).reply.ok);
  }
  const { reply } = await owner.call("read_file", { path: "private.txt" });
  assert.equal(reply.ok && (reply.result as { content: string }).content, secret);
});

test("over HTTP, a client's name is not the name that another client is given", async (t) => {
  const person = newCliUser(t, []);
  twoAgents(person);
  const server = await startHttp(t, person, ["--agent", "dev"]);
  const unnamed = await overHttp(t, server, { kind: "2026", name: "a client" });
  await unnamed.call("write_file", { path: "mine.txt", content: "mine" });
  const { out } = person.run(["audit", "list", "--json", "--agent", "dev"]);
  const [entry] = JSON.parse(out) as { session: string }[];
  const guessed = /[0-9a-f]{12,}$/.exec(entry?.session ?? "")?.[0] ?? "";
  assert.match(guessed, /^[\w.-]{1,64}$/);
  assert.deepEqual(await listed(await overHttp(t, at(server, guessed), { kind: "2026" })), []);
});

test("in `call`, two agents with the same --session have two sessions: files and staged commits", (t) => {
  const person = newCliUser(t, []);
  const repository = twoAgents(person);
  const call = (agent: string, tool: string, args: object) => {
    const { out } = person.run(["call", tool, JSON.stringify(args), "--agent", agent, "--session", "x"]);
    return JSON.parse(out) as { ok: boolean; result?: Record<string, unknown> };
  };
  assert.ok(call("dev-ro", "git_pull", { source: { type: "local", path: repository }, paths: ["."] }).ok);
  call("dev-ro", "write_file", { path: "note.txt", content: "a note\n" });
  const { result } = call("dev-ro", "git_stage", { files: ["note.txt"], message: "A note" });
  assert.deepEqual(call("dev", "list_files", {}).result, { files: [], more: false });
  assert.equal(call("dev", "git_discard", { commitId: result?.["id"] }).ok, false);
  assert.equal(call("dev", "git_diff", { commitId: result?.["id"] }).ok, false);
  assert.ok(call("dev-ro", "git_diff", { commitId: result?.["id"] }).ok, "the control");
});

/** As a version left them that kept a session under its name alone. */
function takeKeysAway(state: string): void {
  for (const [file, statements] of [
    ["workspaces.sqlite", "UPDATE sessions SET name = 'x'"],
    [
      "staged.sqlite",
      `UPDATE commits SET session = 'x'; UPDATE pulled_layers SET session = 'x'; UPDATE piece_uses SET session = 'x';
       UPDATE piece_uses SET owner = 'pulled x' WHERE owner LIKE 'pulled %'`,
    ],
  ] as const) {
    const database = new DatabaseSync(join(state, file));
    database.exec(`${statements}; PRAGMA user_version = 0`);
    database.close();
  }
}

for (const [name, hasRecord, first] of [
  ["the control: its own agent comes first", true, "dev-ro"],
  ["another agent calls first under the same name", true, "dev"],
  ["the record is gone, and another agent calls first", false, "dev"],
] as const)
  test(`what an earlier version kept stays its agent's: ${name}`, (t) => {
    const person = newCliUser(t, []);
    const repository = twoAgents(person);
    const run = (agent: string, tool: string, args: object) =>
      person.run(["call", tool, JSON.stringify(args), "--agent", agent, "--session", "x"]).out;
    run("dev-ro", "git_pull", { source: { type: "local", path: repository }, paths: ["."] });
    run("dev-ro", "write_file", { path: "note.txt", content: "a note\n" });
    run("dev-ro", "git_stage", { files: ["note.txt"], message: "A note" });
    takeKeysAway(person.state);
    if (!hasRecord)
      for (const end of ["", "-wal", "-shm"]) rmSync(join(person.state, `journal.sqlite${end}`), { force: true });
    // A call that needs no store of files or commits: it is on record before they are opened.
    run(first, "no_such_tool", {});
    const [theirs, owns] = ["dev", "dev-ro"].map(
      (agent) => run(agent, "git_status", {}) + run(agent, "list_files", {}),
    );
    assert.doesNotMatch(theirs as string, /A note|note\.txt|private\.txt/);
    assert.match(owns as string, /A note/);
    assert.equal((owns as string).includes("/workspace/private.txt"), hasRecord, owns);
    const { out } = person.run(["doctor"]);
    assert.equal(
      /1 session\(s\) of an earlier version \(x\) belong to no agent/.test(out.replace(/\s+/g, " ")),
      !hasRecord,
      out,
    );
  });
