// A person is told that questions wait: by a real server on loopback, by a real command, from gates that wait for the answer.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type Gate, queueApprover } from "../../src/index.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { sendNotice } from "../../src/notify/send-notice.ts";
import { createNotifier } from "../../src/runtime/notifier.ts";
import { limits } from "../../src/shared/limits.ts";
import { answerTo, questionAbout, waitingQuestion } from "../fixtures/approver.ts";
import { configText, makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { startHelper } from "../fixtures/helper.ts";
import { type NoticeServer, type SentRequest, startNoticeServer } from "../fixtures/notice-server.ts";
import { bare, exec, ran, refused, until } from "../fixtures/run.ts";

const SECRET = "a secret of the person";
process.env["NOTICE_SECRET"] = SECRET;

const soon = { after_s: 0, every_s: 0 };
const webhookTo = ({ url }: NoticeServer, more: object = {}) => ({
  webhook: `${url}/hooks/a-path-that-nobody-knows`,
  secret_env: "NOTICE_SECRET",
  ...soon,
  ...more,
});

interface Place {
  readonly directories: TestDirectories;
  readonly open: (notify: readonly object[], approvals?: object) => Gate;
}

function newPlace(t: TestContext): Place {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  return {
    directories,
    open(notify, approvals = {}) {
      const config = JSON.parse(configText(directories)) as object;
      const gate = openGate(
        directories,
        {},
        {
          session: "s1",
          configText: JSON.stringify({ ...config, approvals, notify }),
          approvers: [(answerService) => queueApprover(answerService.queue)],
        },
      );
      t.after(async () => {
        gate.close();
        await gate.closed;
      });
      return gate;
    },
  };
}

const ask = (gate: Gate, { outside }: TestDirectories, word = "hi") =>
  exec(gate, ["/bin/echo", word], { cwd: outside });

/** What a receiver would do. */
function isSigned({ headers, body }: SentRequest, secret: string): boolean {
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["sallyport-signature"])) ?? [];
  return createHmac("sha256", secret).update(`${time}.${body}`).digest("hex") === signature;
}

async function toldAbout(gate: Gate, count = 1): Promise<void> {
  await until("it is noted", async () => {
    const [first] = await gate.answerService.queue.waiting();
    return (await gate.answerService.queue.notices.sentFor(first?.question.id ?? "")).length >= count;
  });
}

test("a webhook gets one signed request, with nothing of what is asked; the call waits for the answer", async (t) => {
  const server = await startNoticeServer(t);
  const { directories, open } = newPlace(t);
  const gate = open([webhookTo(server)]);
  const call = ask(gate, directories, "a-word-of-the-agent");
  const question = await waitingQuestion(gate);
  await until("the request", () => server.requests.length > 0);
  const [request] = server.requests as [SentRequest];
  assert.deepEqual([request.method, request.path], ["POST", "/hooks/a-path-that-nobody-knows"]);
  assert.equal(isSigned(request, SECRET), true);
  assert.equal(isSigned(request, "another secret"), false);
  assert.equal(isSigned({ ...request, body: request.body.replace("1", "2") }, SECRET), false, "a changed body");
  const said = JSON.parse(request.body) as Record<string, unknown>;
  assert.equal(request.headers["sallyport-notice"], said["id"]);
  assert.deepEqual(
    { ...said, id: "", sent: "" },
    {
      event: "questions.waiting",
      id: "",
      sent: "",
      title: "1 question waits (low risk)",
      text: "Answer with: sallyport review",
      url: null,
      count: 1,
      severity: "low",
      questions: [{ id: question.id, asked: new Date(question.askedAt).toISOString(), severity: "low" }],
    },
  );
  const whole = JSON.stringify(request);
  for (const word of ["a-word-of-the-agent", directories.base, SECRET, "default", "Exec", "echo"])
    assert.equal(whole.includes(word), false, word);
  await gate.answerService.answer(question.id, answerTo(question));
  assert.equal(ran(await call).stdout, "a-word-of-the-agent\n");
  assert.equal(server.requests.length, 1);
});

test("with content, a notice has one line of what is asked, safe and without secrets", async (t) => {
  const server = await startNoticeServer(t);
  const { directories, open } = newPlace(t);
  const gate = open([webhookTo(server, { content: true }), { ntfy: `${server.url}/topic`, content: true, ...soon }]);
  const token = `ghp_${"a1B2".repeat(9)}`;
  const call = ask(gate, directories, `\u001b[2J\u202e${token}`);
  const question = await waitingQuestion(gate);
  await until("both", () => server.requests.length === 2);
  const hook = server.requests.find(({ path }) => path !== "/topic") as SentRequest;
  const { questions } = JSON.parse(hook.body) as { questions: Record<string, string>[] };
  const [{ title = "", ...rest } = {}] = questions;
  assert.deepEqual(rest, {
    id: question.id,
    asked: new Date(question.askedAt).toISOString(),
    severity: "low",
    agent: "default",
    session: "s1",
    project: directories.project,
    tool: "Exec",
  });
  assert.match(title, /echo/);
  for (const { body } of server.requests) {
    assert.equal(body.includes(token), false);
    for (const unsafe of ["\u001b", "\\u001b", "\u202e"]) assert.equal(body.includes(unsafe), false);
    assert.match(body, /echo/);
  }
  await gate.answerService.answer(question.id, answerTo(question, { decision: "deny" }));
  refused(await call);
});

test("ntfy gets a text and headers, and its token", async (t) => {
  const server = await startNoticeServer(t);
  const { directories, open } = newPlace(t);
  const gate = open([{ ntfy: `${server.url}/topic`, token_env: "NOTICE_SECRET", ...soon }]);
  const page = await gate.answerService.queue.watch("serve", "http://127.0.0.1:7117");
  const call = ask(gate, directories);
  const question = await waitingQuestion(gate);
  await until("the request", () => server.requests.length > 0);
  const [{ headers, body, path }] = server.requests as [SentRequest];
  assert.deepEqual(
    [path, headers["title"], headers["priority"], headers["click"], headers["authorization"]],
    [
      "/topic",
      "Sallyport: 1 question waits (low risk)",
      "default",
      `http://127.0.0.1:7117/#/q/${question.id}`,
      `Bearer ${SECRET}`,
    ],
  );
  assert.equal(body, `Answer at http://127.0.0.1:7117/#/q/${question.id}, or with: sallyport review`);
  await gate.answerService.answer(question.id, answerTo(question));
  ran(await call);
  await page.leave();
});

test("a command gets the notice on its input and in variables; its words stay as they are", async (t) => {
  const { directories, open } = newPlace(t);
  const [file, into] = [join(directories.base, "tell"), join(directories.base, "told")];
  writeFileSync(
    file,
    `#!/bin/sh\n{ printf '%s|' "$#" "$1" "$2" "$SALLYPORT_NOTICE_TITLE" "$SALLYPORT_NOTICE_COUNT"; pwd; cat; } >"$2.part"\nmv "$2.part" "$2"\n`,
  );
  chmodSync(file, 0o755);
  const gate = open([{ command: [file, "$(id) $SALLYPORT_NOTICE_TITLE", into], ...soon }]);
  const call = ask(gate, directories);
  await until("it was told", () => existsSync(into));
  const question = await waitingQuestion(gate);
  const [line = "", input = ""] = readFileSync(into, "utf8").split("\n");
  assert.equal(line, `2|$(id) $SALLYPORT_NOTICE_TITLE|${into}|1 question waits (low risk)|1|/`);
  assert.equal((JSON.parse(input) as { questions: { id: string }[] }).questions[0]?.id, question.id);
  await gate.answerService.answer(question.id, answerTo(question));
  ran(await call);
});

test("T69: no text of an agent runs in a command; in a shell of one's own it does", async (t) => {
  const { directories, open } = newPlace(t);
  const [file, into] = [join(directories.base, "tell"), join(directories.base, "told")];
  const marker = join(directories.base, "marker");
  writeFileSync(file, `#!/bin/sh\nprintf '%s' "$SALLYPORT_NOTICE_TEXT" >"$1.part"\nmv "$1.part" "$1"\n`);
  chmodSync(file, 0o755);
  const hostile = `"; touch ${marker}; $(touch ${marker}) \`touch ${marker}\` "`;
  bare(["/bin/sh", "-c", `echo "${hostile}"`]);
  assert.equal(existsSync(marker), true, "the control: who puts the text into a script runs it");
  const gate = open([{ command: [file, into], content: true, ...soon }]);
  bare(["/bin/rm", marker]);
  const call = ask(gate, directories, hostile);
  await until("it was told", () => existsSync(into));
  assert.match(readFileSync(into, "utf8"), /touch/);
  assert.equal(existsSync(marker), false);
  const question = await waitingQuestion(gate);
  await gate.answerService.answer(question.id, answerTo(question, { decision: "deny" }));
  refused(await call);
});

test("a server that fails is tried again with the same notice; one that refuses is not", async (t) => {
  const [failing, refusing, moved] = [
    await startNoticeServer(t),
    await startNoticeServer(t),
    await startNoticeServer(t),
  ];
  failing.statuses.push(503);
  refusing.statuses.push(403);
  moved.statuses.push(302);
  const { directories, open } = newPlace(t);
  const gate = open(
    [failing, refusing, moved].map((server, n) => webhookTo(server, { name: `hook ${n}` })),
    { timeout_s: 60 },
  );
  const call = ask(gate, directories);
  const question = await waitingQuestion(gate);
  await until("the second try", () => failing.requests.length === 2);
  await toldAbout(gate, 3);
  const [first, second] = failing.requests.map(({ body }) => (JSON.parse(body) as { id: string }).id);
  assert.equal(first, second);
  const told = await gate.answerService.queue.notices.sentFor(question.id);
  assert.deepEqual(
    told.map(({ name, problem }) => [name, problem]).toSorted((a, b) => String(a).localeCompare(String(b))),
    [
      ["hook 0", null],
      ["hook 1", "it answered with status 403"],
      ["hook 2", "it answered with status 302"],
    ],
  );
  assert.deepEqual([refusing.requests.length, moved.requests.length], [1, 1], "a redirect is not followed");
  await gate.answerService.answer(question.id, answerTo(question));
  ran(await call);
});

test("many questions at once are one notice, and those that come soon after it one more", async (t) => {
  const server = await startNoticeServer(t);
  const { open } = newPlace(t);
  const gate = open([webhookTo(server, { after_s: 1, every_s: 3 })]);
  const { queue } = gate.answerService;
  for (let n = 0; n < 30; n += 1)
    await queue.put({ ...questionAbout([{ kind: "read", path: "/srv" }], { mark: `${n}` }), askedAt: Date.now() });
  const call = ask(gate, newPlace(t).directories, "the call that starts the notifier");
  await until("the first", () => server.requests.length === 1);
  for (const mark of ["x", "y"])
    await queue.put({ ...questionAbout([{ kind: "read", path: "/srv" }], { mark }), askedAt: Date.now() });
  await until("the second", () => server.requests.length === 2);
  const counts = server.requests.map(({ body }) => JSON.parse(body) as { count: number; questions: unknown[] });
  assert.deepEqual(
    counts.map(({ count, questions }) => [count, questions.length]),
    [
      [31, limits.noticeQuestions],
      [2, 2],
    ],
  );
  for (const { question } of await queue.waiting())
    await gate.answerService.answer(question.id, answerTo(question, { decision: "deny" }));
  refused(await call);
});

test("the reply says by what the person was told, and nothing about where that is", async (t) => {
  const server = await startNoticeServer(t);
  const { directories, open } = newPlace(t);
  const gate = open([webhookTo(server, { name: "my phone" }), { ntfy: `${server.url}/topic`, ...soon }], {
    timeout_s: 2,
  });
  const { error, hint = "" } = refused(await ask(gate, directories));
  assert.equal(error, "approval_timeout");
  assert.match(hint, / They were told by (?:my phone, ntfy|ntfy, my phone)\.$/);
  assert.equal(hint.includes("127.0.0.1"), false);
});

test("in quiet hours nobody is told and no call waits, nor for a question of less risk than is told", async (t) => {
  const server = await startNoticeServer(t);
  const { directories, open } = newPlace(t);
  for (const more of [{ quiet: ["00:00-12:00", "12:00-24:00"] }, { at_least: "high" }]) {
    const gate = open([webhookTo(server, more)]);
    assert.equal(refused(await ask(gate, directories, JSON.stringify(more))).error, "fs_denied");
    gate.close();
    await gate.closed;
  }
  assert.equal(server.requests.length, 0);
});

test("without notify a call does not wait: the control of the tests above", async (t) => {
  const { directories, open } = newPlace(t);
  assert.equal(refused(await ask(open([]), directories)).error, "fs_denied");
});

function helperOn({ state, base }: TestDirectories, { url }: NoticeServer) {
  const channel = {
    key: "k",
    name: "hook",
    field: "notify[0]",
    target: { kind: "webhook", url, secret: { kind: "env", name: "SECRET" } },
    afterMs: 0,
    everyMs: 0,
    quiet: [],
    atLeast: "low",
    content: false,
  } as const;
  const order = JSON.stringify({ state, channels: [channel] });
  const worker = join(import.meta.dirname, "notifier-worker.ts");
  return { channel, begin: () => startHelper([process.execPath, worker, order], { cwd: base }) };
}

const putQuestion = ({ queue }: LocalStore, mark: string) =>
  queue.put({ ...questionAbout([{ kind: "read", path: "/srv" }], { mark }), askedAt: Date.now() });

test("of many processes on one store, one tells; if it is killed while it does, another does", async (t) => {
  const server = await startNoticeServer(t);
  const { directories } = newPlace(t);
  const store = new LocalStore({
    stateDirectory: directories.state,
    configDirectory: `${directories.state}-config`,
    home: "/",
  });
  t.after(() => store.close());
  const { channel, begin } = helperOn(directories, server);
  const helpers = [await begin(), await begin(), await begin()];
  t.after(() => helpers.forEach((helper) => helper.stop()));
  for (let n = 1; n <= 5; n += 1) {
    const { id } = await putQuestion(store, `round ${n}`);
    await until("it is told", async () => (await store.queue.notices.sentFor(id)).length === 1);
    assert.equal(server.requests.length, n, "one request for each question");
  }
  server.statuses.push(null); // whoever sends now waits for an answer
  const { id } = await putQuestion(store, "killed");
  await until("somebody sends", () => server.requests.length === 6);
  assert.deepEqual(await store.queue.notices.sentFor(id), []);
  assert.equal(await store.queue.notices.claim(channel.key), null, "it holds the channel");
  for (const helper of helpers) helper.stop();
  const last = await begin();
  t.after(() => last.stop());
  await until("it is told all the same", async () => (await store.queue.notices.sentFor(id)).length === 1);
  const ids = server.requests.map(({ headers }) => headers["sallyport-notice"]);
  assert.deepEqual(
    [ids.length, new Set(ids).size, ids[5] === ids[6]],
    [7, 6, true],
    "the receiver can see that it is the same",
  );
});

test("a question that was answered in time is not told", async (t) => {
  const server = await startNoticeServer(t);
  const { directories } = newPlace(t);
  const store = new LocalStore({
    stateDirectory: directories.state,
    configDirectory: `${directories.state}-config`,
    home: "/",
  });
  const { channel } = helperOn(directories, server);
  const notifier = createNotifier({
    channels: [{ ...channel, afterMs: 1_500 }],
    send: sendNotice,
    queue: () => store.queue,
    environment: { SECRET: "x" },
  });
  t.after(async () => {
    await notifier.close();
    await store.close();
  });
  notifier.start();
  const answered = await putQuestion(store, "answered");
  const claimed = await store.queue.claim(answered.id);
  assert.ok(claimed.ok);
  await store.queue.end(claimed.claim);
  const { id } = await putQuestion(store, "waits");
  await until("the other one is told", async () => (await store.queue.notices.sentFor(id)).length === 1);
  const [request] = server.requests as [SentRequest];
  assert.deepEqual((JSON.parse(request.body) as { count: number }).count, 1);
});
