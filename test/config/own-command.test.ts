// What a person is told to type: it starts this installation and reaches the same store, from wherever they are.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { flagsTo, ownCommand, withPathFlags } from "../../src/config/own-command.ts";
import { queueApprover } from "../../src/index.ts";
import { makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";

function newPlace(t: TestContext): TestDirectories {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  return directories;
}

test("by its name where that is on the PATH, else by its place; quoted for a shell", (t) => {
  const { base } = newPlace(t);
  const [root, bin] = [join(base, "a clone"), join(base, "bin")];
  for (const directory of [join(root, "bin"), bin]) mkdirSync(directory, { recursive: true });
  writeFileSync(join(root, "bin/sallyport.js"), "#!/usr/bin/env node\n", { mode: 0o755 });
  const own = () => ownCommand({ PATH: bin }, { state: "/a b" }, { root, node: "/n/node" })("review", "q-1");
  assert.equal(own(), `/n/node '${root}/bin/sallyport.js' review q-1 --state '/a b'`);
  symlinkSync(join(root, "bin/sallyport.js"), join(bin, "sallyport"));
  assert.equal(own(), "sallyport review q-1 --state '/a b'");
});

test("each command gets the flags that it takes, in front of a program's own words", () => {
  const flags = { state: "/s", config: "/c.yaml", project: "/p" };
  for (const [words, expected] of [
    [["review", "q-1"], "review q-1 --state /s"],
    [["audit", "list"], "audit list --state /s"],
    [["demo"], "demo --state /s"],
    [["init", "--undo"], "init --undo --config /c.yaml"],
    [["policy", "check"], "policy check --state /s --config /c.yaml --project /p"],
    [["exec", "--", "ls", "-l"], "exec --state /s --config /c.yaml --project /p -- ls -l"],
    [["call", "--help", "Exec"], "call --help Exec"],
    [["--help"], "--help"],
  ] as const)
    assert.equal(withPathFlags(words, flags).join(" "), expected);
});

test("what is where it is by custom is not named; what only this environment names, is", (t) => {
  const { base, project } = newPlace(t);
  const home = { HOME: base };
  const usual = { stateDirectory: join(base, ".local/state/sallyport"), file: null, project };
  assert.deepEqual(flagsTo(usual, home), { project });
  assert.deepEqual(flagsTo({ ...usual, file: join(base, ".config/sallyport/config.yaml") }, home), { project });
  const state = join(base, "elsewhere");
  assert.deepEqual(flagsTo({ ...usual, stateDirectory: state }, { ...home, SALLYPORT_STATE: state }), {
    state,
    project,
  });
  const config = join(base, "mine.yaml");
  assert.deepEqual(flagsTo({ ...usual, file: config }, { ...home, SALLYPORT_CONFIG: config }), { config, project });
});

test("the command in a refusal shows the question, typed into a shell in another directory", async (t) => {
  const directories = newPlace(t);
  const state = join(directories.base, "a 'state' of its own");
  const gate = openGate(
    directories,
    {},
    { statePath: state, session: "s", approvers: [({ queue }) => queueApprover(queue)] },
  );
  t.after(() => gate.close());
  const reply = await gate.call({ tool: "Exec", args: { argv: ["/bin/echo", "hi"], cwd: directories.outside } });
  const hint = reply.ok ? "" : (reply.hint ?? "");
  const told = /`(.* review q-.*)`/.exec(hint)?.[1];
  assert.ok(told !== undefined, hint);
  assert.equal(hint.split("review").length, 2, `told once: ${hint}`);
  const env = {
    HOME: directories.base,
    PATH: process.env["PATH"] ?? "",
    XDG_CONFIG_HOME: join(directories.base, "config"),
  };
  const look = (line: string) => spawnSync("sh", ["-c", line], { cwd: "/", env, encoding: "utf8" });
  const shown = look(`${told} --json`);
  const [question] = JSON.parse(shown.stdout) as { id: string }[];
  assert.ok(question !== undefined && told.includes(question.id), shown.stderr);
  assert.notEqual(look(`${told.replace(/ --state.*/, "")} --json`).status, 0, "without the flag it is not found");
});
