// What a limited device may do: each route that changes something is tried, and answers to questions of each risk.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { type Gate, queueApprover, type Question } from "../../src/index.ts";
import type { Allowance } from "../../src/store/device-kind.ts";
import type { AnswersTaken } from "../../src/web/api-together.ts";
import type { OwnView } from "../../src/web/api-devices.ts";
import type { QuestionView } from "../../src/web/api.ts";
import { waitingQuestion } from "../fixtures/approver.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { onOuterPort, outerNames, type PairedBrowser, pairBrowser } from "../fixtures/outer-page.ts";
import { openPage, type TestPage } from "../fixtures/page.ts";
import { pushQuestion, waitsIn } from "../fixtures/push-question.ts";
import { exec, refused } from "../fixtures/run.ts";

interface Scene {
  readonly page: TestPage;
  readonly low: Question;
  readonly high: Question;
  readonly device: (may: Allowance) => Promise<PairedBrowser>;
  readonly isAnswered: (question: Question) => Promise<boolean>;
  readonly whoAnswered: () => readonly unknown[];
}

async function newScene(t: TestContext): Promise<Scene> {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const approvers = [({ queue }: Gate["answerService"]) => queueApprover(queue)];
  const gate = openGate(directories, {}, { session: "s1", approvers });
  t.after(() => gate.close());
  refused(await exec(gate, ["/bin/echo", "hi"], { cwd: directories.outside }));
  const low = await waitingQuestion(gate);
  assert.equal(low.severity, "low");
  const high = pushQuestion([["a.ts", "1\n", "2\n"]], { branch: "main", isProtected: true });
  assert.equal(high.severity, "high");
  await waitsIn(directories.state, high);
  let at = () => 0;
  const page = openPage(t, gate, { outer: { names: outerNames, port: () => at() } });
  const outer = await onOuterPort(t, (port) => {
    at = port;
    return page.outerApp;
  });
  return {
    page,
    low,
    high,
    device: (may) => pairBrowser(page, outer, may),
    isAnswered: async ({ id }) => (await gate.answerService.queue.find(id))?.answer != null,
    whoAnswered: () =>
      [...gate.journal.list({ event: "approval.answered" })].map(({ outcome }) => (outcome as { who: string }).who),
  };
}

const yes = ({ action }: Question, scope = "once") => ({ decision: "allow", scope, digest: action.digest });

/** What a limited device may reach that changes something. Everything else is refused before its body is read. */
const opened: Readonly<Record<Exclude<Allowance, "all">, readonly string[]>> = {
  see: [],
  low: ["POST /api/questions/:id/answer", "POST /api/answers"],
};

/** About the device itself. */
const ofEach = ["DELETE /api/devices/:id", "POST /api/push", "DELETE /api/push"];

for (const may of ["see", "low"] as const)
  test(`every route that changes something, for a device that may "${may}"`, async (t) => {
    const { page, device } = await newScene(t);
    const [limited, whole] = [await device(may), await device("all")];
    const routes = [...new Set(page.outerApp.routes.map(({ method, path }) => `${method} ${path}`))].filter((route) =>
      /^(?!ALL|GET)\w+ \/api\//.test(route),
    );
    assert.ok(routes.includes("POST /api/changes/:name/land") && routes.length > 10);
    for (const route of routes.filter((one) => !one.includes("/api/pair"))) {
      const [method = "", path = ""] = route.split(" ");
      const tried = async ({ ask }: PairedBrowser) =>
        await ask(method, path.replaceAll(/:\w+/g, "x"), method === "POST" ? {} : undefined);
      const { status, body } = await tried(limited);
      const isOpen = opened[may].includes(route) || ofEach.includes(route);
      assert.equal(
        isOpen ? !body.includes("This device may") : status === 403 && body.includes("This device may"),
        true,
        `${route}: ${status} ${body}`,
      );
      assert.doesNotMatch((await tried(whole)).body, /This device may/, `the control: ${route}`);
    }
  });

test("a device that may look reads all, and answers nothing", async (t) => {
  const { device, low, high, isAnswered } = await newScene(t);
  const { ask } = await device("see");
  for (const path of [
    "/api/queue",
    "/api/log",
    "/api/sessions",
    "/api/changes",
    "/api/machine",
    "/api/devices",
    `/api/questions/${high.id}`,
  ])
    assert.equal((await ask("GET", path)).status, 200, path);
  const own = JSON.parse((await ask("GET", "/api/own")).body) as OwnView;
  assert.deepEqual([own.may, own.device?.name], ["see", "Phone"]);
  assert.match(own.limit ?? "", /^This device may look, and answers nothing\. Answer on/);
  for (const question of [low, high]) {
    const view = JSON.parse((await ask("GET", `/api/questions/${question.id}`)).body) as QuestionView;
    assert.deepEqual([view.offers, view.limit], [[], own.limit], "no buttons, and why");
    assert.equal((await ask("POST", `/api/questions/${question.id}/answer`, yes(question))).status, 403);
    assert.equal(await isAnswered(question), false);
  }
});

test("a device for low risk answers that, once, and the record names it", async (t) => {
  const { device, low, high, isAnswered, whoAnswered } = await newScene(t);
  const { ask, id } = await device("low");
  const viewOf = async (question: Question) =>
    JSON.parse((await ask("GET", `/api/questions/${question.id}`)).body) as QuestionView;
  assert.deepEqual(
    (await viewOf(low)).offers.map(({ decision, scope }) => `${decision} ${scope}`),
    ["allow once", "deny once"],
  );
  assert.ok(low.offers.length > 2, "the control: more is offered to others");
  assert.deepEqual((await viewOf(high)).offers, []);
  for (const [question, scope] of [
    [high, "once"],
    [low, "session"],
    [low, "project"],
  ] as const) {
    const { status, body } = await ask("POST", `/api/questions/${question.id}/answer`, yes(question, scope));
    assert.deepEqual([status, await isAnswered(question)], [403, false], body);
  }
  const together = await ask("POST", "/api/answers", {
    decision: "deny",
    questions: [{ id: high.id, digest: high.action.digest }],
  });
  assert.deepEqual([(JSON.parse(together.body) as AnswersTaken).answered, await isAnswered(high)], [[], false]);
  assert.equal((await ask("POST", `/api/questions/${low.id}/answer`, yes(low))).status, 200, "the control");
  assert.equal(await isAnswered(low), true);
  assert.deepEqual(whoAnswered(), [`ann at the paired device Phone (${id})`]);
});

test("a device for low risk answers several together, and leaves out what is more", async (t) => {
  const { device, low, page } = await newScene(t);
  const { ask } = await device("low");
  // The same question as it would be with a higher risk: only that differs.
  const action = { ...low.action, digest: "e".repeat(64) };
  const grave: Question = { ...low, id: "q-0000beef", severity: "medium", action };
  await waitsIn(page.context.backend.config.stateDirectory, grave);
  const answer = await ask("POST", "/api/answers", {
    decision: "deny",
    questions: [low, grave].map(({ id, action }) => ({ id, digest: action.digest })),
  });
  const { answered, left } = JSON.parse(answer.body) as AnswersTaken;
  assert.deepEqual([answered, left.map(({ id }) => id)], [[low.id], ["q-0000beef"]], answer.body);
  assert.match(left[0]?.why ?? "", /^This device may answer questions of low risk/);
});

test("a device that may do all is the control: it answers what is of high risk", async (t) => {
  const { device, high, isAnswered } = await newScene(t);
  const { ask } = await device("all");
  assert.equal((await ask("POST", `/api/questions/${high.id}/answer`, yes(high))).status, 200);
  assert.equal(await isAnswered(high), true);
});
