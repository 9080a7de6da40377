// What `sallyport run` needs before its program starts: credentials that are there, a draft, and answers to questions that wait.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { newAgentPerson } from "../../fixtures/agent-person.ts";
import { noTerminal, onTerminal } from "../../fixtures/cli.ts";
import { openDialog } from "../../fixtures/dialog.ts";

const config = (netGrants: string, fsGrants: string) => `version: 1
agents:
  default:
    net_grants: [${netGrants}]
    fs_grants: [{ path: /usr, mode: r }${fsGrants}]
`;

test("a credential that is not there stops the run, names the field and says what would pass; with it the program starts", async (t) => {
  const person = newAgentPerson(t, { "notes.txt": "one\n" });
  const at = (name: string) => join(person.root, name);
  writeFileSync(at("empty"), " \n");
  writeFileSync(at("two-lines"), "one\ntwo\n");
  mkdirSync(at("directory"));
  assert.equal(spawnSync("mkfifo", [at("pipe")]).status, 0); // a command behind it that never writes
  writeFileSync(at("good"), "the-secret-in-the-file\n");
  const write = (credential: string) =>
    writeFileSync(
      person.configFile,
      config(
        `"web.test:80", { host: api.example.org, open: true, credential: { ${credential} } }`,
        ', { path: "${project}", mode: r }',
      ),
    );
  const cases: [credential: string, env: Record<string, string>, said: RegExp][] = [
    ["env: EXAMPLE_TOKEN", {}, /credential\.env: EXAMPLE_TOKEN is not set/],
    ["env: EXAMPLE_TOKEN", { EXAMPLE_TOKEN: " " }, /credential\.env: EXAMPLE_TOKEN is empty/],
    [`file: ${at("missing")}`, {}, /credential\.file: .*missing does not exist/],
    [`file: ${at("empty")}`, {}, /credential\.file: .*empty is empty/],
    [`file: ${at("two-lines")}`, {}, /credential\.file: .*two-lines holds more than one line/],
    [`file: ${at("directory")}`, {}, /credential\.file: .*directory is no file that can be read/],
    [`file: ${at("pipe")}`, {}, /credential\.file: .*pipe is no file that can be read/],
  ];
  for (const [credential, env, said] of cases) {
    write(credential);
    const { code, out, err } = await person.runBeside(["run", "--", "echo", "started"], env);
    assert.deepEqual([code, out], [2, ""], err);
    assert.match(err, said);
    assert.match(err, /agents\.default\.net_grants: api\.example\.org:443: /);
    assert.match(err, /^hint: (?:Set|Write) /m);
    assert.ok(!err.includes("one\ntwo"));
  }
  assert.doesNotMatch(person.run(["audit", "list", "--json"]).out, /dispatched/);
  assert.deepEqual(
    JSON.parse(person.run(["changes", "list", "--json"]).out),
    { sessions: [], more: 0 },
    "nothing was begun",
  );
  write(`file: ${at("good")}`);
  const started = await person.runBeside(["run", "--", "echo", "started"]);
  assert.deepEqual([started.code, started.out], [0, "started\n"], started.err);
});

test("a project that is granted with rw is a draft all the same, and the person is told; other paths land when it ends", async (t) => {
  const person = newAgentPerson(t, { "notes.txt": "one\n" });
  const beside = join(person.root, "beside");
  mkdirSync(beside);
  writeFileSync(person.configFile, config("", `, { path: "\${project}", mode: rw }, { path: ${beside}, mode: rw }`));
  const before = person.digest();
  const script = `pwd; echo two > notes.txt; echo made > ${beside}/made; ls ${beside}`;
  const { code, out, err } = await person.runBeside(["run", "--", "bash", "-c", script]);
  assert.deepEqual([code, out], [0, `${person.project}\nmade\n`], err);
  assert.equal(person.digest(), before);
  assert.equal(readFileSync(join(beside, "made"), "utf8"), "made\n");
  assert.match(err, /project is granted with rw: here it is in the draft all the same/);
  assert.match(err, /what it changes in \S+beside lands when it ends/);
  assert.match(err, /session bash has changed 1 file/);
  const landed = await person.runBeside(["changes", "land", "bash", "--here", "--yes"]);
  assert.equal(landed.code, 0, landed.err);
  assert.equal(readFileSync(join(person.project, "notes.txt"), "utf8"), "two\n");
});

test("where there can be no draft nothing starts; a workspace that the person names is used, and said", async (t) => {
  const person = newAgentPerson(t, { "notes.txt": "one\n" });
  writeFileSync(person.configFile, config("", ""));
  const refused = await person.runBeside(["run", "--", "echo", "started"]);
  assert.deepEqual([refused.code, refused.out], [126, ""], refused.err);
  assert.match(refused.err, /There is no draft of .*: this agent may not see the project/);
  const memory = await person.runBeside(["run", "--workspace", "memory", "--", "bash", "-c", "pwd; ls"]);
  assert.deepEqual([memory.code, memory.out], [0, "/workspace\n"], memory.err);
  assert.match(memory.err, /files in memory, which begin empty/);
  const itself = await person.runBeside([
    "run",
    "--workspace",
    person.project,
    "--",
    "bash",
    "-c",
    "echo two > notes.txt",
  ]);
  assert.equal(itself.code, 0, itself.err);
  assert.match(itself.err, /project itself: what the program changes there lands when it ends/);
  assert.equal(readFileSync(join(person.project, "notes.txt"), "utf8"), "two\n");
});

test(
  "a question that waits before the start is told on the terminal, with where to answer it and what came of it",
  { skip: noTerminal },
  async (t) => {
    const person = newAgentPerson(t, { "notes.txt": "one\n" });
    const dialog = openDialog(t, person, [
      "run",
      "--",
      "bash",
      "-c",
      "curl -sS https://nowhere.example/ 2>/dev/null; echo st''arted",
    ]);
    await dialog.until("a question waits for you:");
    await dialog.until(/in another terminal with: [^\r\n]*review q-[\w-]+/);
    const id = /review (q-[\w-]+)/.exec(dialog.output())?.[1] ?? "";
    assert.ok(dialog.output().includes(`/#/q/${id}`));
    assert.ok(!dialog.output().includes("started"));
    const answered = await onTerminal(person, ["review", id, "--deny"]);
    assert.equal(answered.code, 0, answered.screen);
    assert.equal(await dialog.ended, 0);
    assert.match(dialog.output(), new RegExp(`${id}: no\\.[^]*started`));
  },
);

test("while a question waits before the start, Ctrl-C ends the command", { skip: noTerminal }, async (t) => {
  const person = newAgentPerson(t, { "notes.txt": "one\n" });
  const dialog = openDialog(t, person, [
    "run",
    "--",
    "bash",
    "-c",
    "curl -sS https://nowhere.example/; echo st''arted",
  ]);
  await dialog.until("in another terminal with:");
  dialog.send("\u0003");
  assert.equal(await dialog.ended, 130);
  assert.ok(!dialog.output().includes("started"));
});
