// The pages of a session with two terminals: none of them ends with the other.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import test, { type TestContext } from "node:test";
import { type AgentPerson, newAgentPerson } from "../../fixtures/agent-person.ts";
import { runner } from "../../fixtures/cli.ts";
import { until } from "../../fixtures/run.ts";

interface Running {
  readonly child: ChildProcess;
  said(): string;
  readonly ended: Promise<number | null>;
}

function start(t: TestContext, { project, env }: AgentPerson, words: readonly string[]): Running {
  const child = spawn(process.execPath, [runner, ...words], { cwd: project, env, stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  return { child, said: () => said, ended: new Promise((resolve) => child.once("close", resolve)) };
}

const session = ["run", "--session", "shared", "--", "bash", "-c", "echo ready; read line; exit 0"];
const pageIn = (text: string) => /questions and changes: (http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1] ?? "";

async function enter(text: string): Promise<string> {
  const url = pageIn(text);
  const [, token] = /#enter=(\S+)/.exec(text) ?? [];
  const headers = { "content-type": "application/json", origin: url };
  const response = await fetch(`${url}/api/enter`, { method: "POST", headers, body: JSON.stringify({ token }) });
  assert.equal(response.status, 200);
  return ((await response.json()) as { page: string }).page;
}

const status = (url: string, token: string): Promise<number | null> =>
  fetch(`${url}/api/queue`, { headers: { authorization: `Bearer ${token}` } }).then(
    (response) => response.status,
    () => null,
  );

for (const how of ["ends", "is killed"] as const)
  test(`the first terminal of a session ${how}: the other one has its page`, async (t) => {
    const person = newAgentPerson(t, { "a.txt": "one\n" });
    const first = start(t, person, session);
    await until("the first runs", () => first.said().includes("ready"));
    const second = start(t, person, session);
    await until("the second runs", () => second.said().includes("ready"));
    const url = pageIn(second.said());
    assert.notEqual(url, pageIn(first.said()));
    const token = await enter(second.said());
    if (how === "ends") first.child.stdin?.end("\n");
    else first.child.kill("SIGKILL");
    await first.ended;
    assert.equal(await status(pageIn(first.said()), token), null);
    assert.equal(await status(url, token), 200);
    second.child.stdin?.end("\n");
    assert.equal(await second.ended, 0, second.said());
    assert.equal(await status(url, token), null, "control: it ends with its program");
  });

test("with an open `sallyport serve`, both use its page", async (t) => {
  const person = newAgentPerson(t, { "a.txt": "one\n" });
  const serve = start(t, person, ["serve", "--port", "0", "--json"]);
  await until("it serves", () => serve.said().includes('"link"'));
  const { url } = JSON.parse(serve.said()) as { url: string };
  const run = await person.runBeside(["run", "--", "true"]);
  assert.match(run.err, new RegExp(`questions and changes: ${url}$`, "m"));
  serve.child.kill("SIGTERM");
  await serve.ended;
});
