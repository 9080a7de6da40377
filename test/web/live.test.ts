// The stream of what happens now, on a real port.

import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import test, { type TestContext } from "node:test";
import { type Gate, queueApprover } from "../../src/index.ts";
import type { LiveState } from "../../src/web/api.ts";
import { makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { onPort, openPage, type TestPage } from "../fixtures/page.ts";
import { exec, refused, until } from "../fixtures/run.ts";

interface Stream {
  readonly states: LiveState[];
  readonly status: () => number;
  readonly isOver: () => boolean;
  leave(): void;
}

function follow(t: TestContext, port: number, token: string): Stream {
  const states: LiveState[] = [];
  let [status, isOver, rest] = [0, false, ""];
  const headers = { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}` };
  const request = httpRequest({ host: "127.0.0.1", port, path: "/api/events", headers, agent: false }, (response) => {
    status = response.statusCode ?? 0;
    response.setEncoding("utf8").on("data", (text: string) => {
      const events = (rest + text).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const found = /^event: state\ndata: (.*)$/.exec(event)?.[1];
        if (found !== undefined) states.push(JSON.parse(found) as LiveState);
      }
    });
    response.on("close", () => (isOver = true));
  });
  request.on("error", () => (isOver = true));
  request.end();
  t.after(() => request.destroy());
  return { states, status: () => status, isOver: () => isOver, leave: () => request.destroy() };
}

async function newLive(
  t: TestContext,
): Promise<{ directories: TestDirectories; gate: Gate; page: TestPage; port: number; token: string }> {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(
    directories,
    {},
    { session: "s1", approvers: [(answerService) => queueApprover(answerService.queue)] },
  );
  t.after(() => gate.close());
  let page: TestPage | undefined;
  const server = await onPort(t, (at) => (page = openPage(t, gate, { port: at })));
  const { port } = server;
  const origin = `http://127.0.0.1:${port}`;
  const entered = await server.raw(
    "POST",
    "/api/enter",
    { origin, "content-type": "application/json" },
    JSON.stringify({ token: page?.newLink() }),
  );
  assert.equal(entered.status, 200, entered.body);
  return {
    directories,
    gate,
    page: page as TestPage,
    port,
    token: (JSON.parse(entered.body) as { page: string }).page,
  };
}

test("the state comes at once, and again after a question, an answer and an entry of another process's making", async (t) => {
  const { directories, gate, page, port, token } = await newLive(t);
  const stream = follow(t, port, token);
  await until("the first state", () => stream.states.length === 1);
  assert.equal(stream.status(), 200);
  const nothing = { waiting: 0, staged: 0, unlanded: 0, lastSeq: 0 };
  assert.deepEqual(
    { ...stream.states[0], version: "", changes: "", devices: "" },
    { ...nothing, version: "", changes: "", devices: "" },
  );
  refused(await exec(gate, ["/bin/echo", "hi"], { cwd: directories.outside }));
  await until("a question is told", () => stream.states.at(-1)?.waiting === 1);
  const asked = stream.states.at(-1) as LiveState;
  assert.equal(asked.lastSeq > 0, true);
  const [queued] = await gate.answerService.queue.waiting();
  assert.ok(queued);
  await page.context.answerService.answer(queued.question.id, {
    decision: "deny",
    digest: queued.question.action.digest,
    who: "ann",
    reason: null,
  });
  await until("the answer is told", () => stream.states.at(-1)?.waiting === 0);
  assert.notEqual(stream.states.at(-1)?.version, asked.version);
  const { lastSeq } = stream.states.at(-1) as LiveState;
  gate.journal.append({ event: "policy.changed", outcome: {} });
  await until("the entry is told", () => stream.states.at(-1)?.lastSeq === lastSeq + 1);
});

test("several pages are told; who leaves is forgotten; the end of the server ends the stream", async (t) => {
  const { gate, page, port, token } = await newLive(t);
  const [one, other] = [follow(t, port, token), follow(t, port, token)];
  await until("both are told", () => one.states.length > 0 && other.states.length > 0);
  one.leave();
  await until("one has left", () => one.isOver());
  gate.journal.append({ event: "policy.changed", outcome: {} });
  await until("the other is told", () => other.states.at(-1)?.lastSeq === 1);
  assert.deepEqual(page.faults, []);
  await page.close();
  await until("the stream has ended", () => other.isOver());
});

test("without the token there is no stream", async (t) => {
  const { port } = await newLive(t);
  const stream = follow(t, port, "A".repeat(43));
  await until("it is refused", () => stream.isOver());
  assert.deepEqual([stream.status(), stream.states], [401, []]);
});
