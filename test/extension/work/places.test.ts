// Two places with two gates in one panel: nothing of one reaches the other.

import assert from "node:assert/strict";
import test from "node:test";
import type { Question } from "../../../src/approval/approver.ts";
import { pushQuestion } from "../../fixtures/push-question.ts";
import { later, noBrowser, untilArmed } from "../../ui/fixture.ts";
import { openPanelAt } from "./panel.ts";

test("T93: each request and answer goes to the gate of the place that is shown", { skip: noBrowser }, async (t) => {
  const { server, page, check } = await openPanelAt(t, { isPaired: true, files: { "a.ts": "1\n" } });
  const sent: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.includes("/api/")) sent.push(`${pathname.split("/api/")[0]} ${request.headers()["authorization"]}`);
  });
  const waitsFor = async (name: string) => page.getByRole("heading", { name }).waitFor();
  server.ask({ ...pushQuestion([["a.ts", "1\n", "2\n"]]), id: "q-here" } as Question);
  await page.getByRole("link", { name: /Queue 1/ }).click();
  await page.locator("a.queue-row").click();
  await waitsFor("Your answer");
  await page.locator(".diff").scrollIntoViewIfNeeded();
  await page.locator(".diff-code").first().waitFor();
  assert.deepEqual([...new Set(sent)], [" Bearer of-the-test"]);

  sent.length = 0;
  await page.getByRole("button", { name: "Review" }).click();
  await waitsFor("Nothing waits for you");
  assert.equal(await page.getByRole("heading", { name: "Your answer" }).count(), 0);
  await page.keyboard.press("a");
  await page.keyboard.press("Enter");
  await later(page, 700);
  assert.deepEqual([...new Set(sent)], ["/other Bearer of-the-other"]);
  assert.deepEqual(server.asked, []);
  await check("the other place");

  sent.length = 0;
  await page.getByRole("button", { name: "Work" }).click();
  await waitsFor("Your answer"); // the control: where the person was, the question can be answered
  await untilArmed(page);
  await page.getByRole("button", { name: /Approve once/ }).click();
  await waitsFor("Approved once");
  assert.deepEqual([...new Set(sent)], [" Bearer of-the-test"]);
  assert.deepEqual(server.asked, ["POST /api/questions/q-here/answer"]);
});
