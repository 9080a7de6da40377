// A question of the agent in this browser's own gate calls the person while the panel is closed, beside those of a paired gate.

import assert from "node:assert/strict";
import test from "node:test";
import { until } from "../../fixtures/run.ts";
import { serve, untilArmed } from "../../ui/fixture.ts";
import { noExtension } from "../browser.ts";
import { runInPage } from "../in-page.ts";
import { pairPanel } from "../paired.ts";
import { startChatServer } from "../work/chat-server.ts";
import { openOwnGate } from "./open-gate.ts";

test("the button and a notification count the questions of both gates", { skip: noExtension }, async (t) => {
  const gate = await openOwnGate(t);
  if (gate === null) return;
  const { browser, ask } = gate;
  const { worker } = browser;
  const badge = () => runInPage<string>(worker, "chrome.action.getBadgeText({})");
  const title = () => runInPage<string>(worker, "chrome.action.getTitle({})");
  const isCalled = () =>
    runInPage<boolean>(worker, "chrome.notifications.getAll().then((all) => all.waiting === true)");
  const source = { type: "github", repo: "octo/r0", branch: "main" };
  const model = await startChatServer(t, [
    { tool: "git_pull", input: { source, paths: ["README.md"] } },
    "I have looked.",
  ]);
  await gate.signIn();
  await gate.open();
  assert.equal(await badge(), "", "nothing waits");
  const settings = { model: { provider: "openai", name: "scripted", baseUrl: model.url } };
  assert.equal((await ask("PUT", "/api/work/settings", settings)).status, 200);
  assert.equal((await ask("PUT", "/api/work/key", { key: "sk-of-nobody" })).status, 200);
  assert.equal((await ask("POST", "/api/work/agent", { task: "Look at the README" })).status, 200);
  await gate.panel.close();
  await until("the badge says 1", async () => (await badge()) === "1");
  await until("the person is called", isCalled);
  assert.equal(await title(), "Sallyport: a question waits");

  const served = await serve(t);
  const page = await browser.context.newPage();
  await page.goto(served.link);
  await page.locator("header.header").waitFor();
  const panel = await browser.openPanel(380);
  await pairPanel(page, panel, served.url);
  const demo = served.asker.begin(["demo", "--fast"]);
  await until("both are counted", async () => (await badge()) === "2");
  await panel.locator("a.queue-row").click();
  await panel.getByRole("heading", { name: "Your answer" }).waitFor();
  await untilArmed(panel);
  await panel.getByRole("button", { name: /Approve once/ }).click();
  await demo.done;
  await until("one is left", async () => (await badge()) === "1");

  await panel.getByRole("button", { name: "Work" }).click();
  await panel.getByRole("link", { name: /Queue 1/ }).click();
  await panel.locator("a.queue-row").click();
  await panel.getByRole("heading", { name: "Your answer" }).waitFor();
  await untilArmed(panel);
  await panel.getByRole("button", { name: /Approve once/ }).click();
  await until("nothing waits", async () => (await badge()) === "");
  await until("and nobody is called", async () => !(await isCalled()));
  await panel.getByRole("link", { name: "Agent" }).click();
  await panel.getByText("I have looked.").waitFor();
});

test("a gate that has ended has no questions", { skip: noExtension }, async (t) => {
  const gate = await openOwnGate(t);
  if (gate === null) return;
  const { worker } = gate.browser;
  const badge = () => runInPage<string>(worker, "chrome.action.getBadgeText({})");
  await gate.signIn();
  const opening = gate.ask("POST", "/api/work/open", { repository: "octo/r0", branch: "main" });
  await until("the badge says 1", async () => (await badge()) === "1");
  await gate.kill();
  assert.equal((await opening).status, 0);
  // As the browser does twice a minute.
  await runInPage(worker, `chrome.alarms.onAlarm.dispatch({ name: "waiting-here", scheduledTime: 0 })`);
  await until("the button says nothing", async () => (await badge()) === "");
});
