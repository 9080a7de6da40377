// Questions on the way of a call: through the client where its answer counts, and through the queue in any case.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test, type TestContext } from "node:test";
import type { CliUser } from "../fixtures/cli.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { openAnswerService } from "../../src/runtime/answer-service.ts";
import type { Answer } from "../../src/index.ts";
import { clientsOver, connected, kinds, mcpUser, type OnForm, protocols } from "../fixtures/mcp.ts";
import { startNoticeServer } from "../fixtures/notice-server.ts";
import { isFull } from "../fixtures/runs.ts";

const trusting = "mode: ask, timeout_s: 20, trust_client: true";
/** Asks: nothing outside the grants is read unasked. */
const asking = { script: "cat /etc/hostname", needs: { read: ["/etc/hostname"] } };

/** A person at the queue: answers what waits as `answer` says. */
async function personAtQueue(t: TestContext, person: CliUser, answer: Partial<Answer> | null) {
  const configDirectory = `${person.home}/.config/sallyport`;
  const store = new LocalStore({ stateDirectory: person.state, configDirectory, home: person.home });
  const { journal } = store;
  const answerService = openAnswerService({ store, journal: () => journal });
  const watching = await answerService.queue.watch("review");
  const stop = new AbortController();
  const answering = (async () => {
    while (!stop.signal.aborted) {
      for (const { question } of answer === null ? [] : await answerService.queue.waiting())
        await answerService.answer(question.id, {
          decision: "allow",
          digest: question.action.digest,
          who: "the queue",
          reason: null,
          ...answer,
        });
      await sleep(30);
    }
  })();
  const close = async () => {
    if (stop.signal.aborted) return;
    stop.abort();
    await answering;
    await watching.leave();
    await store.close();
  };
  t.after(close);
  return { answerService, close };
}

const accepting =
  (decision: string): OnForm =>
  () => ({ action: "accept", content: { decision } });

for (const [transport, kind] of clientsOver(isFull)) {
  test(`${kind} over ${transport}: a trusted client is asked, and its once is once`, async (t) => {
    const person = mcpUser(t, trusting);
    const forms: { message: string; choices: readonly string[]; fields: readonly string[] }[] = [];
    const client = await connected(t, person, transport, {
      kind,
      onForm: (form) => {
        forms.push(form);
        return { action: "accept", content: { decision: "once" } };
      },
    });
    const first = await client.call("Bash", asking);
    assert.ok(first.reply.ok, first.text);
    assert.equal(forms.length, 1);
    assert.match(forms[0]?.message ?? "", /\/etc\/hostname/);
    assert.deepEqual(forms[0]?.fields, ["decision"], "some clients submit no form with an empty field");
    assert.deepEqual(forms[0]?.choices, ["once", "deny", "session", "always", "everywhere", "never"]);
    assert.ok((await client.call("Bash", asking)).reply.ok);
    assert.equal(forms.length, 2, "once is asked about again");
  });

  test(`${kind} over ${transport}: session holds for the session; decline is a no; cancel is no answer; what was not asked for is not taken`, async (t) => {
    const person = mcpUser(t, trusting);
    const answers: OnForm[] = [
      () => ({ action: "cancel" }),
      () => ({ action: "decline" }),
      () => ({ action: "accept", content: { decision: "deny", reason: "not that file" } }),
      accepting("anything else"),
      accepting("session"),
    ];
    let asked = 0;
    const client = await connected(t, person, transport, {
      kind,
      onForm: (form) => (answers[asked++] as OnForm)(form),
    });
    const cancelled = await client.call("Bash", asking);
    assert.ok(!cancelled.reply.ok);
    assert.equal(cancelled.reply.error, "fs_denied");
    assert.match(cancelled.reply.hint ?? "", /review q-/);
    const declined = await client.call("Bash", asking);
    assert.ok(!declined.reply.ok && declined.reply.error === "approval_denied", declined.text);
    const denied = await client.call("Bash", asking);
    assert.ok(!denied.reply.ok && denied.reply.error === "approval_denied");
    assert.equal(denied.reply.message, "A person said no.");
    const odd = await client.call("Bash", asking);
    assert.ok(!odd.reply.ok, "what was not offered is no yes");
    assert.ok((await client.call("Bash", asking)).reply.ok);
    assert.ok((await client.call("Bash", asking)).reply.ok);
    assert.equal(asked, 5, "asked no more in this session");
  });
}

// SECURITY(T31): a program that says yes by itself is no person.
for (const kind of isFull ? kinds : protocols)
  test(`${kind}: a client that accepts everything by itself decides nothing unless it is trusted`, async (t) => {
    let asked = 0;
    const onForm: OnForm = () => {
      asked += 1;
      return { action: "accept", content: { decision: "everywhere" } };
    };
    const person = mcpUser(t, "mode: ask, timeout_s: 1");
    const client = await connected(t, person, "stdio", { kind, onForm });
    const refused = await client.call("Bash", asking);
    assert.ok(!refused.reply.ok);
    assert.equal(refused.reply.error, "fs_denied");
    assert.equal(asked, 0);
    // The control: the same client where it is trusted.
    const trusted = await connected(t, mcpUser(t, trusting), "stdio", { kind, onForm });
    assert.ok((await trusted.call("Bash", asking)).reply.ok);
    assert.equal(asked, 1);
  });

for (const kind of isFull ? kinds : protocols)
  test(`${kind}: the queue answers a client that cannot ask, and the call goes on`, async (t) => {
    const person = mcpUser(t);
    await personAtQueue(t, person, {});
    const client = await connected(t, person, "stdio", { kind });
    const heard: string[] = [];
    const done = await client.call("Bash", asking, { onprogress: ({ message }) => heard.push(message ?? "") });
    assert.ok(done.reply.ok, done.text);
  });

for (const kind of isFull ? kinds : protocols)
  test(`${kind}: nobody answers in time: approval_timeout with where to answer; the same call picks the answer up`, async (t) => {
    const person = mcpUser(t, "mode: ask, timeout_s: 1");
    const client = await connected(t, person, "stdio", { kind });
    const away = await personAtQueue(t, person, null);
    const heard: string[] = [];
    const late = await client.call("Bash", asking, { onprogress: ({ message }) => heard.push(message ?? "") });
    assert.ok(!late.reply.ok);
    assert.equal(late.reply.error, "approval_timeout");
    assert.match(late.reply.hint ?? "", /review q-[^]*the same call/);
    assert.ok(
      heard.some((text) => text.includes("waiting for a person")),
      heard.join("; "),
    );
    const [waiting] = await away.answerService.queue.waiting();
    assert.ok(waiting !== undefined);
    const { id, action } = waiting.question;
    await away.answerService.answer(id, { decision: "allow", digest: action.digest, who: "later", reason: null });
    assert.ok((await client.call("Bash", asking)).reply.ok);
  });

test("a client sees by what the person was told while its call waits, and in the reply", async (t) => {
  const server = await startNoticeServer(t);
  const person = mcpUser(
    t,
    "mode: ask, timeout_s: 7",
    `notify: [{ ntfy: "${server.url}/topic", after_s: 0, name: my phone }]`,
  );
  const client = await connected(t, person, "stdio", { kind: "2026" });
  const heard: string[] = [];
  const late = await client.call("Bash", asking, { onprogress: ({ message }) => heard.push(message ?? "") });
  assert.ok(!late.reply.ok);
  assert.equal(late.reply.error, "approval_timeout");
  assert.match(late.reply.hint ?? "", /They were told by my phone\.$/);
  assert.match(
    heard.at(-1) ?? "",
    /^waiting for a person to answer question (q-\w+): `[^`]+ review \1 [^`]*`\. They were told by my phone\.$/,
  );
  assert.equal(server.requests.length, 1);
});

test("a question names the client and its version as the client does, and the session by the client", async (t) => {
  const person = mcpUser(t);
  const client = await connected(t, person, "stdio", { kind: "2026", name: "claude-code" });
  await client.call("Bash", asking);
  const [asked] = JSON.parse(person.run(["review", "--json"]).out) as [Record<string, string>];
  assert.equal(asked["client"], "claude-code 1");
  assert.match(asked["text"] ?? "", /the program that asks calls itself "claude-code 1"; nobody checked that/);
  assert.match(asked["session_name"] ?? "", new RegExp(`^claude-code ${basename(person.project)} [0-9a-f]{6}$`));
  assert.equal(String(asked["awaited"]), "false");
  const row = person.run(["review", "--once"]).out;
  assert.match(row, /default Bash: cat \/etc\/hostname {2}\(claude-code 1, session claude-code /);
});

test("while a client's form is open, an answer at the queue counts, and the form's comes too late", async (t) => {
  for (const kind of isFull ? (["first SDK", "2025"] as const) : (["2025"] as const)) {
    const person = mcpUser(t, trusting);
    const form = Promise.withResolvers<{ action: "accept"; content: { decision: string } }>();
    const client = await connected(t, person, "stdio", { kind, onForm: () => form.promise });
    const queue = await personAtQueue(t, person, { decision: "deny", reason: "from the queue" });
    const done = await client.call("Bash", asking);
    assert.ok(!done.reply.ok);
    assert.match(done.reply.message, /from the queue/);
    form.resolve({ action: "accept", content: { decision: "once" } });
    await queue.close();
  }
});

for (const kind of isFull ? kinds : protocols)
  test(`${kind}: a push is shown with its diff, and lands once accepted; one that is too long stays in the queue`, async (t) => {
    const person = mcpUser(t, trusting);
    const repository = join(person.project, "shop.git");
    execFileSync("git", ["init", "-q", "--bare", "-b", "main", repository]);
    for (const [key, value] of [
      ["user.name", "Ada"],
      ["user.email", "ada@example.org"],
    ] as const)
      execFileSync("git", ["-C", repository, "config", key, value]);
    const messages: string[] = [];
    const client = await connected(t, person, "stdio", {
      kind,
      onForm: ({ message }) => {
        messages.push(message);
        return { action: "accept", content: { decision: "once" } };
      },
    });
    const target = { type: "local-bare", path: repository, branch: "work" };
    const push = async (path: string, content: string) => {
      await client.call("write_file", { path: `/workspace/${path}`, content });
      const staged = await client.call("git_stage", { files: [path], message: `Add ${path}` });
      assert.ok(staged.reply.ok, staged.text);
      return await client.call("git_push", { commitId: staged.reply.result["id"], target });
    };
    const landed = await push("a.txt", "one\ntwo\n");
    assert.ok(landed.reply.ok, landed.text);
    assert.match(messages.at(-1) ?? "", /^ {4}\+one\n {4}\+two/m);
    assert.equal(execFileSync("git", ["-C", repository, "show", "work:a.txt"], { encoding: "utf8" }), "one\ntwo\n");
    const long = await push("long.txt", "a line of text\n".repeat(3_000));
    assert.ok(!long.reply.ok);
    assert.equal(long.reply.error, "no_approver");
    assert.equal(messages.length, 1);
  });

test("a forged or replayed request state answers nothing", async (t) => {
  const person = mcpUser(t, trusting);
  const client = await connected(t, person, "stdio", { kind: "2026", onForm: () => ({ action: "cancel" }) });
  await client.call("Bash", asking);
  const { Client } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const { runner } = await import("../fixtures/cli.ts");
  const other = new Client(
    { name: "forger", version: "1" },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await other.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [runner, "mcp"],
      env: person.env,
      cwd: person.project,
    }),
  );
  t.after(() => other.close());
  const state = Buffer.from(JSON.stringify({ p: { question: "q-1", session: "s" }, exp: 9e9 })).toString("base64url");
  await assert.rejects(
    other.callTool({
      name: "Bash",
      arguments: asking,
      inputResponses: { answer: { action: "accept", content: { decision: "once" } } },
      requestState: `v1.${state}.AAAA`,
    } as never),
    /requestState/,
  );
});
