// Writes the pictures of the web page in docs/screens, from a real page on a real server in a throw-away place.
// Paths that differ from run to run are replaced by fixed ones on their way to the page.
//
//   node scripts/capture-page.ts

import { setTimeout as pause } from "node:timers/promises";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { pushQuestion, waitsIn } from "../test/fixtures/push-question.ts";
import { withFixtures } from "../test/fixtures/script-context.ts";
import { closeBrowser, goTo, openPage, serve, untilArmed } from "../test/ui/fixture.ts";
import { stageChange, stageCommit } from "../test/ui/waiting.ts";
import { sampleChange, sampleMessage } from "./sample-change.ts";

const target = (name: string) => fileURLToPath(new URL(`../docs/screens/${name}.png`, import.meta.url));

const before = `export function total(orders: readonly Order[]): number {
  let sum = 0;
  for (const order of orders) {
    sum += order.price * order.count;
  }
  return sum;
}
`;
const after = `/** In cents, after discounts. */
export function total(orders: readonly Order[]): number {
  let sum = 0;
  for (const order of orders) {
    sum += order.price * order.count - discountOf(order);
  }
  return sum;
}
`;
const tested = `test("a discount is taken off once", () => {
  assert.equal(total([{ price: 500, count: 2, discount: 100 }]), 900);
});
`;

async function showFixedPaths(page: Page, root: string): Promise<void> {
  await page.route("**/api/{queue,questions/*,log*,calls/*}", async (route) => {
    const response = await route.fetch();
    const text = (await response.text())
      .replaceAll(/\/[^\s"]*\/sallyport-demo-\w+/g, "/home/you/demo")
      .replaceAll(root, "/home/you")
      .replaceAll("/home/you/outside", "/home/you/notes");
    await route.fulfill({ response, body: text });
  });
}

await withFixtures(capture);

async function capture(context: TestContext): Promise<void> {
  context.after(closeBrowser);
  const served = await serve(context);
  const { asker } = served;
  const exec = (argv: readonly string[]) => asker.begin(["call", "Exec", JSON.stringify({ argv, cwd: asker.outside })]);
  await waitsIn(
    asker.state,
    pushQuestion(
      [
        ["src/total.ts", before, after],
        ["test/total.test.ts", null, tested],
      ],
      {
        branch: "main",
        isProtected: true,
        message: "Take discounts off the total\n\nOrders with a discount were charged in full.\n",
      },
    ),
  );
  stageCommit(asker.state, "c-1", "Note the new prices in the readme", "README.md", "# Shop\n\nPrices are in cents.\n");
  const page = await openPage(context, served, { height: 560 });
  await showFixedPaths(page, asker.root);
  const rows = page.locator("a.queue-row");
  exec(["/usr/bin/cat", "note"]);
  await rows.nth(2).waitFor();
  exec(["/usr/bin/grep", "-n", "TODO", "note"]);
  await rows.nth(3).waitFor();
  await pause(500);
  await page.screenshot({ path: target("queue") });
  await page.setViewportSize({ width: 1280, height: 960 });
  await goTo(page, "#/q/q-0000abcd");
  await page.locator(".diff-code").first().waitFor();
  await pause(1_500);
  await page.screenshot({ path: target("question") });
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await captureDiff(context);
  await captureRecord(context);
}

/** A staged commit, scrolled so far that its diff begins below the bar. */
async function captureDiff(context: TestContext): Promise<void> {
  const served = await serve(context);
  stageChange(served.asker.state, "c-2", sampleMessage, sampleChange);
  const page = await openPage(context, served, { height: 800 });
  await goTo(page, "#/staged/c-2");
  await page.locator(".diff-top").waitFor();
  await page.evaluate(
    `scrollBy({
      top: document.querySelector(".diff-top").getBoundingClientRect().top - document.querySelector(".header").offsetHeight,
      behavior: "instant",
    })`,
  );
  await page.locator(".token-keyword").first().waitFor();
  await pause(1_000);
  await page.screenshot({ path: target("diff") });
}

/** The record of a real agent at work, whose push is approved on the page. */
async function captureRecord(context: TestContext): Promise<void> {
  const served = await serve(context);
  const page = await openPage(context, served, { height: 800 });
  await showFixedPaths(page, served.asker.root);
  const agent = served.asker.begin(["demo", "--fast"]);
  await page.locator("a.queue-row").first().click();
  await untilArmed(page);
  await page.getByRole("button", { name: /Approve once/ }).click();
  await agent.done;
  served.asker.begin(["call", "Bash", JSON.stringify({ script: "sudo apt-get install jq" })]);
  await goTo(page, "#/log");
  await page.locator("a.entry", { hasText: "Pushed" }).first().waitFor();
  await pause(1_500);
  await page.screenshot({ path: target("log") });
  await page.locator("a.entry", { hasText: "Pushed" }).first().click();
  await pause(1_500);
  await page.screenshot({ path: target("call") });
  await page.unrouteAll({ behavior: "ignoreErrors" });
}
