// The home of what `sallyport run` starts outlives its drafts, and a session whose work has landed is not in the way of the next run.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type AgentPerson, newAgentPerson } from "../../fixtures/agent-person.ts";
import { until } from "../../fixtures/run.ts";
import { nothingIsLeft } from "./killed-run.ts";

/** A program with the name of a known agent. It notes in its home that it was there, and does what the words say. */
function personWithClient(t: TestContext): { person: AgentPerson; env: Record<string, string> } {
  const person = newAgentPerson(t, { "notes.txt": "one\n" });
  const bin = join(person.root, "tools/bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "claude"), '#!/bin/bash\necho login >> ~/login; cat ~/login; eval "${!#}"\n');
  chmodSync(join(bin, "claude"), 0o755);
  return { person, env: { PATH: `${bin}:${person.env["PATH"]}` } };
}

const sessionIn = (err: string): string => /^sallyport: session (\S+): /m.exec(err)?.[1] ?? err;

test("a client's home lasts over its sessions, and only work that has not landed makes another session", async (t) => {
  const { person, env } = personWithClient(t);
  const claude = async (script: string) => {
    const { code, out, err } = await person.runBeside(["run", "claude", script], env);
    assert.equal(code, 0, err);
    return { session: sessionIn(err), logins: out.match(/^login$/gm)?.length, out, err };
  };
  const first = await claude("true");
  const second = await claude("echo two > notes.txt");
  assert.deepEqual([first.session, first.logins, second.session, second.logins], ["claude", 1, "claude", 2]);
  const third = await claude("cat notes.txt");
  assert.deepEqual([third.session, third.logins], ["claude-2", 3], "the work of claude has not landed");
  assert.match(third.out, /^one$/m);
  const landed = await person.runBeside(["changes", "land", "claude", "--branch", "main", "--yes"]);
  assert.equal(landed.code, 0, landed.err);
  const fourth = await claude("cat notes.txt");
  assert.deepEqual([fourth.session, fourth.logins], ["claude", 4]);
  assert.match(fourth.out, /^two$/m);
  assert.match(fourth.err, /what claude did before has landed, so it begins anew/);
  assert.deepEqual(JSON.parse(person.run(["changes", "list", "--json"]).out), { sessions: [], more: 0 });
  assert.match(person.run(["changes", "list", "--discarded"]).out, /claude/, "its other files are kept for a day");
  const joined = await person.runBeside(["run", "--session", "claude", "--", "bash", "-c", "cat ~/login"]);
  assert.equal(joined.out, "login\n".repeat(4), "a shell in the session has the home of the client");
  const named = await person.runBeside(["run", "--session", "other", "claude", "true"], env);
  assert.match(named.out, /^(?:login\n){5}$/m);
  const other = await person.runBeside(["run", "--", "bash", "-c", "ls -A ~"]);
  assert.deepEqual([other.code, other.out], [0, ""], "control: another program has another home");
});

test("what a home has counts against the bound of each draft", async (t) => {
  const person = newAgentPerson(t, { "a.txt": "one\n" });
  writeFileSync(
    person.configFile,
    `version: 1\nagents: { default: { tool_grants: [], fs_grants: [{ path: /usr, mode: r }, { path: "${person.project}", mode: r }], limits: { draft_mb: 4 } } }\n`,
  );
  const fill = (name: string) =>
    `for i in {1..6}; do head -c 500K /dev/urandom > ~/${name}$i; sync ~/${name}$i; sleep 0.1; done; echo filled`;
  const run = () => person.runBeside(["run", "--", "bash", "-c", fill(`n$RANDOM`)]);
  const [one, drafts] = [await run(), readdirSync(join(person.state, "drafts"))];
  assert.deepEqual([one.code, one.out], [0, "filled\n"], one.err);
  writeFileSync(join(person.project, "a.txt"), "two\n"); // so that the draft begins anew
  const two = await run();
  assert.equal(two.code, 137, two.err);
  assert.match(two.err, /hint: .*limits\.draft_mb/);
  assert.deepEqual([sessionIn(two.err), readdirSync(join(person.state, "drafts"))], ["bash", drafts]);
});

test("runs that start at once have each a session of their own; a killed one leaves its name free", async (t) => {
  const { person, env } = personWithClient(t);
  const wait = 'cat notes.txt; echo "$SALLYPORT_X" > notes.txt; until [ -e ~/go ]; do sleep 0.1; done';
  const running = ["a", "b", "c"].map((name) =>
    person.runBeside(["run", "claude", wait.replace("$SALLYPORT_X", name)], env),
  );
  await until(
    "all of them run",
    () => person.run(["audit", "list", "--json", "--event", "tool.call.dispatched"]).out.split('"Run"').length > 6,
  );
  await person.runBeside(["run", "--session", "go", "claude", "touch ~/go"], env);
  const ended = await Promise.all(running);
  assert.deepEqual(ended.map(({ err }) => sessionIn(err)).sort(), ["claude", "claude-2", "claude-3"]);
  for (const { out } of ended) assert.match(out, /^one$/m, "none has seen what another wrote");
  const killed = person.start(["run", "--", "bash", "-c", "echo working; sleep 1000"]);
  let out = "";
  killed.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  await until("it works", () => out.includes("working"));
  killed.kill("SIGKILL");
  await nothingIsLeft(person);
  const next = await person.runBeside(["run", "--", "bash", "-c", "true"]);
  assert.equal(sessionIn(next.err), "bash");
});
