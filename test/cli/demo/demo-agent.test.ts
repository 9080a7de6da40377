// `sallyport demo` beside a running page: the agent's push waits there, and what a person answers is what happens.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { test, type TestContext } from "node:test";
import type { AnswerRequest, Entered, QuestionView, QueueView } from "../../../src/web/api.ts";
import { newCliUser, type CliUser, runner } from "../../fixtures/cli.ts";

interface Page {
  get<T>(path: string): Promise<T>;
  post(path: string, body: object): Promise<Response>;
}

/** A real server, and what its page does: enters once, then speaks with its own token. */
async function openPage(t: TestContext, person: CliUser): Promise<Page> {
  const server = spawn(process.execPath, [runner, "serve", "--port", "0", "--json"], {
    cwd: person.project,
    env: person.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => ended(server));
  const line = await new Promise<string>((resolve) => createInterface({ input: server.stdout }).once("line", resolve));
  const { url, link } = JSON.parse(line) as { url: string; link: string };
  const send = (path: string, body: object, token: string) =>
    fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url, authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const entered = await send("/api/enter", { token: link.slice(link.indexOf("#enter=") + 7) }, "");
  const { page } = (await entered.json()) as Entered;
  return {
    get: async (path) => await (await fetch(url + path, { headers: { authorization: `Bearer ${page}` } })).json(),
    post: (path, body) => send(path, body, page),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}

async function playDemo(t: TestContext, answer: (question: QuestionView) => AnswerRequest) {
  const person = newCliUser(t, null);
  const temporary = join(person.root, "tmp");
  mkdirSync(temporary);
  const page = await openPage(t, person);
  const demo = spawn(process.execPath, [runner, "demo"], {
    cwd: person.project,
    env: { ...person.env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => ended(demo));
  let screen = "";
  demo.stdout.setEncoding("utf8").on("data", (text: string) => (screen += text));
  const gone = new Promise<number | null>((resolve) => demo.once("exit", resolve));
  let queue: QueueView = { questions: [], staged: [] };
  for (let tries = 0; queue.questions.length === 0 && tries < 600; tries += 1) {
    await sleep(50);
    queue = await page.get<QueueView>("/api/queue");
  }
  const [row] = queue.questions;
  assert.ok(row !== undefined, screen);
  const question = await page.get<QuestionView>(`/api/questions/${row.id}`);
  assert.deepEqual(
    question.files.map(({ path, added, removed }) => [path, added, removed]),
    [["total.sh", 1, 1]],
  );
  const answered = await page.post(`/api/questions/${row.id}/answer`, answer(question));
  assert.equal(answered.status, 200, await answered.text());
  const code = await gone;
  assert.deepEqual(readdirSync(temporary), [], "nothing is left behind");
  return { person, screen, code };
}

test("approved on the page, the commit lands, and the agent's terminal shows it", async (t) => {
  const { screen, code, person } = await playDemo(t, ({ digest }) => ({ decision: "allow", scope: "once", digest }));
  assert.equal(code, 0, screen);
  for (const said of [/wrong: 10, not 60/, /ok: 60/, /It landed/, /Add the prices up/, /total\.sh \| 2 \+-/])
    assert.match(screen, said);
  const list = JSON.parse(person.run(["audit", "list", "--json", "--event", "commit.pushed"]).out) as object[];
  assert.equal(list.length, 1);
});

test("rejected on the page, nothing lands, and the agent is told why", async (t) => {
  const { screen, code } = await playDemo(t, ({ digest }) => ({
    decision: "deny",
    scope: "once",
    digest,
    reason: "not on a Monday",
  }));
  assert.equal(code, 0, screen);
  assert.match(screen, /approval_denied[^]*not on a Monday/);
  assert.doesNotMatch(screen, /It landed/);
});
