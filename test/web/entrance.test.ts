// The link opens one page; without that page's token nothing of the API is told.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Refused } from "../../src/web/api.ts";
import { createTokens } from "../../src/web/tokens.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { openPage, send, type TestPage } from "../fixtures/page.ts";

function newPage(t: TestContext): TestPage {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(directories);
  t.after(() => gate.close());
  return openPage(t, gate);
}

test("a link is used once; each of several is", async (t) => {
  const page = newPage(t);
  const [one, other] = [page.newLink(), page.newLink()];
  assert.notEqual(one, other);
  assert.match(one, /^[\w-]{43}$/, "256 bits");
  const enter = (token: string) => send(page, "POST", "/api/enter", { token });
  const entered = await enter(one);
  assert.equal(entered.status, 200);
  const { page: token } = (await entered.json()) as { page: string };
  assert.match(token, /^[\w-]{43}$/);
  assert.notEqual(token, one);
  const used = await enter(one);
  assert.equal(used.status, 401, "used");
  assert.match(((await used.json()) as Refused).message, /was used before/);
  const foreign = (await (await enter("of-another-server")).json()) as Refused;
  assert.doesNotMatch(foreign.message, /used/);
  assert.equal((await enter(token)).status, 401, "a page's token is no link");
  assert.equal((await enter(other)).status, 200);
  assert.equal((await send(page, "GET", "/api/queue", undefined, { authorization: `Bearer ${token}` })).status, 200);
});

const routes = [
  ["GET", "/api/queue"],
  ["GET", "/api/events"],
  ["GET", "/api/questions/q-1"],
  ["GET", "/api/questions/q-1/files/0"],
  ["GET", "/api/questions/q-1/files/0/before"],
  ["GET", "/api/staged/c-1"],
  ["GET", "/api/staged/c-1/files/0/after"],
  ["POST", "/api/questions/q-1/answer"],
  ["GET", "/api/log"],
  ["GET", "/api/calls/x"],
  ["GET", "/api/stats"],
  ["GET", "/api/sessions"],
  ["DELETE", "/api/remembered/project/r-1"],
  ["GET", "/api/machine"],
  ["GET", "/api/devices"],
  ["POST", "/api/devices/code"],
  ["POST", "/api/devices/answer"],
  ["DELETE", "/api/devices/d-1"],
  ["GET", "/api/anything"],
] as const;

test("every route of the API needs the page's token, in its one form", async (t) => {
  const page = newPage(t);
  const link = page.newLink();
  const wrong = [
    null,
    "",
    "Bearer",
    "Bearer ",
    `Bearer ${link}`,
    `Bearer ${"A".repeat(43)}`,
    `Basic ${link}`,
    "Bearer undefined",
  ];
  for (const [method, path] of routes) {
    const body = method === "POST" ? {} : undefined;
    for (const authorization of wrong) {
      const response = await send(page, method, path, body, { authorization });
      assert.equal(response.status, 401, `${method} ${path} ${authorization}`);
      assert.match(((await response.json()) as { hint: string }).hint, /link that `sallyport serve` printed/);
    }
    const response = await page.ask(method, path, body);
    assert.notEqual(response.status, 401, "the control");
    await response.body?.cancel();
  }
});

test("wrong links are answered late and few at once; a right one at once, meanwhile", async (t) => {
  const page = newPage(t);
  const wrong = Array.from({ length: 20 }, (_, index) => send(page, "POST", "/api/enter", { token: `wrong-${index}` }));
  let isOver = false;
  const all = Promise.all(wrong).then((answers) => {
    isOver = true;
    return answers.map(({ status }) => status);
  });
  const right = await send(page, "POST", "/api/enter", { token: page.newLink() });
  assert.equal(right.status, 200);
  assert.equal(isOver, false, "the right one did not wait for the wrong ones");
  const statuses = await all;
  assert.deepEqual(
    [statuses.filter((one) => one === 401).length, statuses.filter((one) => one === 429).length],
    [8, 12],
  );
  assert.equal((await send(page, "POST", "/api/enter", { token: "later" })).status, 401, "and then again");
});

test("tokens of one server mean nothing to another; old links that nobody used go", () => {
  const [one, other] = [createTokens(), createTokens()];
  const link = one.newLink();
  assert.equal(other.enter(link), null);
  const page = one.enter(link);
  assert.ok(page !== null);
  assert.equal(one.isPage(page), true);
  assert.equal(other.isPage(page), false);
  const links = Array.from({ length: 17 }, () => other.newLink());
  assert.equal(other.enter(links[0] as string), null);
  assert.notEqual(other.enter(links[1] as string), null);
});
