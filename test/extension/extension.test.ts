// The side panel in a real browser: paired, called, answering, revoked. `attacks.test.ts` has what must not work.

import assert from "node:assert/strict";
import test from "node:test";
import { until } from "../fixtures/run.ts";
import { axeProblems, goTo, serve, untilArmed } from "../ui/fixture.ts";
import { noExtension, openExtensionBrowser } from "./browser.ts";
import { runInPage } from "./in-page.ts";
import { checkPanel, clickByScript } from "./panel-checks.ts";
import { pairPanel } from "./paired.ts";

test(
  "a person pairs the panel, is called, reads a diff, approves, and revokes it",
  { skip: noExtension },
  async (t) => {
    const served = await serve(t);
    const { asker, url } = served;
    const browser = await openExtensionBrowser(t);
    const { context, worker } = browser;
    await browser.allow("http://127.0.0.1/*");
    const page = await context.newPage();
    await page.goto(served.link);
    await page.locator("header.header").waitFor();
    const panel = await browser.openPanel(320);
    await panel.getByRole("heading", { name: "Pair this browser" }).waitFor();
    await checkPanel(panel, "the form");
    await pairPanel(page, panel, url);
    await panel.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
    await checkPanel(panel, "the empty queue");
    assert.deepEqual(await axeProblems(page), [], "the page with the device");
    assert.equal(asker.events("device.paired").length, 1);

    await panel.close();
    const agent = asker.begin(["demo", "--fast"]);
    const badge = () => runInPage<string>(worker, "chrome.action.getBadgeText({})");
    await until("the badge says 1", async () => (await badge()) === "1");
    await until("the person is called", async () =>
      runInPage(worker, "chrome.notifications.getAll().then((all) => all.waiting === true)"),
    );

    const opened = await browser.openPanel(320);
    await opened.locator("a.queue-row").click();
    await opened.getByRole("heading", { name: "Your answer" }).waitFor();
    await opened.locator(".diff").scrollIntoViewIfNeeded();
    await opened.locator(".diff-code").first().waitFor();
    await checkPanel(opened, "a question");
    await untilArmed(opened);
    await clickByScript(opened);
    assert.equal(asker.waiting().length, 1, "a script's click answers nothing");
    assert.equal(asker.events("approval.answered").length, 0);
    await opened.getByRole("button", { name: /Approve once/ }).click();
    await opened.getByRole("heading", { name: /^Approved once/ }).waitFor();
    assert.equal((await agent.done).code, 0, "the call goes on");
    const [answered] = asker.events("approval.answered");
    assert.match(String(answered?.outcome["who"]), / at the paired device Side panel \(d-[0-9a-f]{8}\)$/);
    await until("the badge is empty", async () => (await badge()) === "");

    const refused = asker.begin(["demo", "--fast"]);
    await goTo(opened, "#/");
    await opened.locator("a.queue-row").click();
    await opened.getByRole("heading", { name: "Your answer" }).waitFor();
    await untilArmed(opened);
    await opened.getByRole("button", { name: "Reject", exact: true }).click();
    await opened.getByRole("heading", { name: "Rejected" }).waitFor();
    await checkPanel(opened, "a no");
    await refused.done;
    const decisions = asker.events("approval.answered").map(({ outcome }) => outcome["decision"]);
    assert.deepEqual(new Set(decisions), new Set(["allow", "deny"]));

    await page.getByRole("button", { name: "Revoke Side panel" }).click();
    await untilArmed(page);
    await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
    await opened.getByText("This browser is not paired any more").waitFor();
    assert.equal(asker.events("device.revoked").length, 1);
    assert.equal(await runInPage(worker, "chrome.storage.local.get('gate').then(({ gate }) => gate.token)"), null);
  },
);
