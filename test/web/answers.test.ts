// Questions of a real gate, answered on the page: the call that waits goes on, and the record says who it was.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { type Gate, queueApprover, type Question } from "../../src/index.ts";
import { callEndOf } from "../../src/audit/call-end.ts";
import type { AnswerTaken, CallStory, QuestionView, QueueView } from "../../src/web/api.ts";
import { waitingQuestion } from "../fixtures/approver.ts";
import { makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { openPage, type TestPage } from "../fixtures/page.ts";
import { exec, ran, refused, until } from "../fixtures/run.ts";

interface Asked {
  readonly directories: TestDirectories;
  readonly gate: Gate;
  readonly page: TestPage;
  readonly attempt: (word?: string) => ReturnType<Gate["call"]>;
  readonly question: () => Promise<Question>;
}

/** A gate that asks about a directory outside its grants, and a page that is open. */
async function newAsked(t: TestContext): Promise<Asked> {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(
    directories,
    {},
    { session: "s1", approvers: [(answerService) => queueApprover(answerService.queue)] },
  );
  t.after(() => gate.close());
  const page = openPage(t, gate);
  const watcher = await page.context.answerService.queue.watch("serve", "http://127.0.0.1:7117");
  t.after(() => watcher.leave());
  return {
    directories,
    gate,
    page,
    attempt: (word = "hi") => exec(gate, ["/bin/echo", word], { cwd: directories.outside }),
    question: () => waitingQuestion(gate),
  };
}

const events = (gate: Gate, event: "approval.answered" | "policy.changed") =>
  [...gate.journal.list({ event, order: "oldest" })].map(({ outcome }) => outcome as Record<string, unknown>);

test("a question is listed, shown whole, and a yes lets the call that waits run", async (t) => {
  const { directories, gate, page, attempt, question } = await newAsked(t);
  const call = attempt();
  const { id, action, text, callId } = await question();
  await until("the call waits", async () => await gate.answerService.queue.isAwaited(id));
  const { questions, staged } = await page.get<QueueView>("/api/queue");
  assert.deepEqual(staged, []);
  assert.equal(questions.length, 1);
  const [row] = questions;
  assert.deepEqual(
    { ...row, asked: "", expires: "" },
    {
      id,
      asked: "",
      expires: "",
      agent: "default",
      session: "s1",
      sessionName: "s1",
      awaited: true,
      project: directories.project,
      tool: "Exec",
      severity: row?.severity,
      title: "/bin/echo hi",
      wants: `read ${directories.outside}`,
      push: null,
    },
  );
  assert.equal(Date.parse(row?.expires ?? "") - Date.parse(row?.asked ?? "") > 23 * 3_600_000, true);
  const view = await page.get<QuestionView>(`/api/questions/${id}`);
  assert.deepEqual(
    [view.text, view.digest, view.files, view.action, view.answered],
    [text, action.digest, [], null, null],
  );
  assert.equal(view.because.length, 1);
  assert.ok(view.because[0]?.startsWith(`read ${directories.outside}: `));
  assert.deepEqual(
    view.offers.map(({ decision, scope, rules }) => [decision, scope, rules]),
    [
      ["allow", "session", [`{ decide: allow, effect: read, path: ${directories.outside} }`]],
      ["allow", "once", []],
      ["allow", "project", [`{ decide: allow, effect: read, path: ${directories.outside} }`]],
      ["allow", "everywhere", [`{ decide: allow, effect: read, path: ${directories.outside} }`]],
      ["deny", "once", []],
      ["deny", "project", [`{ decide: deny, effect: read, path: ${directories.outside} }`]],
    ],
  );
  const answered = await page.post<AnswerTaken>(`/api/questions/${id}/answer`, {
    decision: "allow",
    scope: "once",
    digest: view.digest,
  });
  assert.deepEqual(answered, {
    decision: "allow",
    scope: "once",
    note: null,
    pickUp: { state: "taken", call: callId },
  });
  assert.equal(ran(await call).stdout, "hi\n");
  const means = view.offers.find(({ decision, scope }) => decision === "allow" && scope === "once")?.meaning;
  assert.deepEqual(events(gate, "approval.answered"), [
    { question: id, who: "ann at the web page", decision: "allow", scope: "once", means, reason: null },
  ]);
  assert.deepEqual((await page.get<QueueView>("/api/queue")).questions, []);
});

test("a no carries its reason to the agent", async (t) => {
  const { page, attempt, question } = await newAsked(t);
  const call = attempt();
  const { id, action, callId } = await question();
  const body = { decision: "deny", scope: "once", digest: action.digest, reason: "  use the copy  " };
  await page.post(`/api/questions/${id}/answer`, body);
  const said = refused(await call);
  assert.deepEqual([said.error, said.message], ["approval_denied", "A person said no: use the copy"]);
  const view = await page.get<QuestionView>(`/api/questions/${id}`).catch(() => null);
  assert.deepEqual(view?.answered, {
    decision: "deny",
    who: "ann at the web page",
    scope: "once",
    pickUp: { state: "taken", call: callId },
  });
});

test("what does not fit the question is refused, and it still waits", async (t) => {
  const { gate, page, attempt, question } = await newAsked(t);
  const call = attempt();
  const { id, action } = await question();
  const path = `/api/questions/${id}/answer`;
  const good = { decision: "allow", scope: "once", digest: action.digest };
  const wrong: readonly (readonly [status: number, body: object, message: RegExp])[] = [
    [409, { ...good, digest: "0".repeat(64) }, /something else/],
    [400, { ...good, digest: undefined }, /^digest: /],
    [400, { ...good, decision: "ask" }, /^decision: /],
    [400, { ...good, decision: true }, /^decision: /],
    [400, { ...good, scope: "forever" }, /^scope: /],
    [400, { ...good, decision: "deny", scope: "everywhere" }, /deny everywhere is not offered/],
    [400, { ...good, who: "someone else" }, /who/],
    [400, { ...good, reason: "x".repeat(2_001) }, /^reason: /],
    [400, { ...good, rules: ["{ decide: allow, effect: read, path: / }"] }, /keeps none/],
    [
      400,
      { ...good, scope: "project", rules: ["{ decide: allow, effect: read, path: /elsewhere }"] },
      /not about this call/,
    ],
    [
      400,
      { ...good, scope: "project", rules: ["{ decide: allow, effect: read, path: /** }"] },
      /everything of its kind/,
    ],
    [400, { ...good, scope: "project", rules: ["{ decide: deny, effect: read, path: /** }"] }, /this answer is allow/],
    [400, { ...good, scope: "project", rules: ["{ nothing: of, that: kind }"] }, /^rules: /],
    [400, { ...good, scope: "project", rules: ["}{"] }, /^rules: /],
    [400, { ...good, scope: "project", rules: [] }, /no rule is about read/],
  ];
  for (const [status, body, message] of wrong) {
    const said = await page.refused(status, "POST", path, body);
    assert.match(said.message, message, JSON.stringify(body));
  }
  await page.refused(404, "POST", "/api/questions/q-none/answer", good);
  assert.equal((await page.get<QueueView>("/api/queue")).questions.length, 1);
  assert.deepEqual(events(gate, "approval.answered"), []);
  assert.deepEqual(page.faults, []);
  await page.post(path, good);
  ran(await call);
  assert.match(
    (await page.refused(409, "POST", path, good)).message,
    /answered already: allow, by ann at the web page/,
  );
  assert.equal(events(gate, "approval.answered").length, 1);
});

test("an edited rule is what is kept, listed, and can be taken back", async (t) => {
  const { directories, gate, page, attempt, question } = await newAsked(t);
  const call = attempt();
  const { id, action } = await question();
  const rule = `{ decide: allow, effect: read, path: "${directories.base}/out*" }`;
  const answer = { decision: "allow", scope: "project", digest: action.digest, rules: [rule] };
  assert.equal((await page.post<AnswerTaken>(`/api/questions/${id}/answer`, answer)).note, null);
  ran(await call);
  ran(await attempt("again"));
  const { remembered } = await page.get<{ remembered: { id: string; rule: string; by: string; scope: string }[] }>(
    "/api/sessions",
  );
  assert.deepEqual(
    remembered.map((row) => [row.rule, row.by, row.scope]),
    [[rule, "ann at the web page", "project"]],
  );
  const name = remembered[0]?.id ?? "";
  await page.refused(404, "DELETE", `/api/remembered/everywhere/${name}`);
  await page.refused(404, "DELETE", `/api/remembered/project/..%2f..%2fconfig`);
  await page.refused(404, "DELETE", `/api/remembered/anything/${name}`);
  assert.equal((await page.ask("DELETE", `/api/remembered/project/${name}`)).status, 204);
  await page.refused(404, "DELETE", `/api/remembered/project/${name}`);
  assert.deepEqual(events(gate, "policy.changed").at(-1), {
    removed: [rule],
    id: name,
    scope: "project",
    who: "ann at the web page",
  });
  const again = attempt("once more");
  assert.match((await question()).id, /^q-/, "asked about again");
  const { questions } = await page.get<QueueView>("/api/queue");
  await page.post(`/api/questions/${questions[0]?.id ?? ""}/answer`, {
    decision: "deny",
    scope: "once",
    digest: (await question()).action.digest,
  });
  refused(await again);
});

test("a yes for the session stands with its session, and is taken back there", async (t) => {
  const { page, attempt, question } = await newAsked(t);
  const call = attempt();
  const { id, action } = await question();
  await page.post(`/api/questions/${id}/answer`, { decision: "allow", scope: "session", digest: action.digest });
  ran(await call);
  const { sessions } = await page.get<{
    sessions: {
      name: string;
      agent: string;
      calls: number;
      refused: number;
      answers: { id: string; by: string; agent: string }[];
    }[];
  }>("/api/sessions");
  const [session] = sessions;
  assert.deepEqual([session?.name, session?.agent, session?.calls, session?.refused], ["s1", "default", 1, 0]);
  assert.deepEqual(
    session?.answers.map(({ by, agent }) => [by, agent]),
    [["ann at the web page", "default"]],
  );
  assert.equal((await page.ask("DELETE", `/api/remembered/session/${session?.answers[0]?.id ?? ""}`)).status, 204);
  const again = attempt();
  const asked = await question();
  await page.post(`/api/questions/${asked.id}/answer`, {
    decision: "deny",
    scope: "once",
    digest: asked.action.digest,
  });
  refused(await again);
});

test("two answers at once: one counts, the other is told so", async (t) => {
  const { gate, page, attempt, question } = await newAsked(t);
  const call = attempt();
  const { id, action } = await question();
  const give = (decision: string) =>
    page.ask("POST", `/api/questions/${id}/answer`, { decision, scope: "once", digest: action.digest });
  const answers = await Promise.all(["deny", "allow", "deny"].map(give));
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual(
    [200, 409].map((status) => statuses.filter((one) => one === status).length),
    [1, 2],
  );
  await call;
  assert.equal(events(gate, "approval.answered").length, 1);
});

/** A call that does not wait long for an answer. */
const briefly = (gate: Gate, { outside }: TestDirectories) =>
  gate.call({ tool: "Exec", args: { argv: ["/bin/echo", "hi"], cwd: outside } }, { maxWaitMs: 100 });

test("a yes when the call has ended says until when it holds; the question tells once a call has it", async (t) => {
  const { directories, gate, page, question } = await newAsked(t);
  const attempt = () => briefly(gate, directories);
  assert.equal(refused(await attempt()).error, "approval_timeout");
  const { id, action } = await question();
  const body = { decision: "allow", scope: "once", digest: action.digest };
  const { pickUp } = await page.post<AnswerTaken>(`/api/questions/${id}/answer`, body);
  const { answered, expires } = await page.get<QuestionView>(`/api/questions/${id}`);
  assert.deepEqual(pickUp, { state: "open", until: Date.parse(expires) });
  assert.deepEqual(answered?.pickUp, pickUp);
  ran(await attempt());
  const later = await page.get<QuestionView>(`/api/questions/${id}`);
  const [last] = gate.journal.list({ event: "tool.call.finished", limit: 1 });
  assert.ok(typeof last?.call_id === "string");
  assert.deepEqual(
    later.answered?.pickUp,
    { state: "taken", call: last.call_id },
    "the call that took it, not the one that asked",
  );
  const { entries } = await page.get<CallStory>(`/api/calls/${last.call_id}`);
  assert.match(callEndOf(entries)?.text ?? "", /^It ran: exit 0 after /);
});

test("a question whose session has ended is gone: not listed, not counted, not answered", async (t) => {
  const { directories, page } = await newAsked(t);
  const passing = openGate(directories, {}, { approvers: [(answerService) => queueApprover(answerService.queue)] });
  assert.equal(refused(await briefly(passing, directories)).error, "approval_timeout");
  const [row] = (await page.get<QueueView>("/api/queue")).questions;
  assert.ok(row !== undefined);
  const { digest } = await page.get<QuestionView>(`/api/questions/${row.id}`);
  passing.close();
  await passing.closed;
  assert.deepEqual((await page.get<QueueView>("/api/queue")).questions, []);
  const said = await page.refused(404, "GET", `/api/questions/${row.id}`);
  assert.match(said.hint ?? "", /withdrawn/);
  await page.refused(404, "POST", `/api/questions/${row.id}/answer`, { decision: "allow", scope: "once", digest });
  const { entries } = await page.get<{ entries: { event: string; summary: string }[] }>(`/api/log?text=${row.id}`);
  const last = entries.find(({ event }) => event === "approval.timeout");
  assert.match(last?.summary ?? "", /^withdrawn, because the session that asked has ended: /);
});

test("a reason of several lines reaches the agent as it is; comments need a no, and a file of the diff", async (t) => {
  const { gate, page, attempt, question } = await newAsked(t);
  const call = attempt();
  const { id, action } = await question();
  const at = `/api/questions/${id}/answer`;
  const body = { decision: "deny", scope: "once", digest: action.digest, reason: "Not there.\nRather in src." };
  const comments = [{ path: "a.txt", side: "after", line: 1, text: "x" }];
  for (const wrong of [
    { ...body, comments },
    { ...body, decision: "allow", comments },
    { ...body, comments: Array.from({ length: 51 }, () => comments[0]) },
    { ...body, comments: [{ ...comments[0], line: 0 }] },
    { ...body, comments: [{ ...comments[0], text: "x".repeat(1_001) }] },
  ])
    assert.equal((await page.refused(400, "POST", at, wrong)).error, "invalid_args");
  await page.post<AnswerTaken>(at, body);
  const said = refused(await call);
  assert.equal(said.error, "approval_denied");
  assert.equal(said.message, "A person said no, and wrote what should change.");
  assert.deepEqual(said.because?.slice(0, 2), ["Not there.", "Rather in src."]);
  assert.equal(events(gate, "approval.answered")[0]?.["reason"], "Not there.\nRather in src.");
});
