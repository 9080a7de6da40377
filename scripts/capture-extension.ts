// Writes the pictures of the side panel in docs/screens, from the built extension in a real browser, with a real push that waits.
//
//   npm run build:extension && node scripts/capture-extension.ts

import { setTimeout as pause } from "node:timers/promises";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { openExtensionBrowser } from "../test/extension/browser.ts";
import { newCode, typeCode } from "../test/extension/paired.ts";
import { pushQuestion, waitsIn } from "../test/fixtures/push-question.ts";
import { withFixtures } from "../test/fixtures/script-context.ts";
import { goTo, serve, untilArmed } from "../test/ui/fixture.ts";

const target = (name: string) => fileURLToPath(new URL(`../docs/screens/${name}.png`, import.meta.url));

const before = "let sum = 0;\nfor (const order of orders) sum += order.price;\nreturn sum;\n";
const after = "let sum = 0;\nfor (const order of orders) sum += order.price * order.count;\nreturn sum;\n";

await withFixtures(capture);

async function capture(context: TestContext): Promise<void> {
  const { asker, url, link } = await serve(context);
  const browser = await openExtensionBrowser(context);
  await browser.allow("http://127.0.0.1/*");
  const page = await browser.context.newPage();
  await page.setViewportSize({ width: 900, height: 420 });
  await page.goto(link);
  await page.locator("header.header").waitFor();
  const panel = await browser.openPanel(380);
  await panel.setViewportSize({ width: 380, height: 720 });
  await typeCode(panel, url, await newCode(page));
  const yes = page.getByRole("button", { name: /let it in/ });
  await yes.waitFor();
  await page.screenshot({ path: target("pair") });
  await untilArmed(page);
  await yes.click();
  await panel.getByText("Live", { exact: true }).waitFor();
  const message = "Count what was ordered\n\nAn order of three was charged once.\n";
  await waitsIn(asker.state, pushQuestion([["src/total.ts", before, after]], { branch: "fix-total", message }));
  await panel.locator("a.queue-row").waitFor();
  await shoot(panel, "panel-queue");
  await goTo(panel, "#/q/q-0000abcd");
  await panel.getByRole("heading", { name: "Your answer" }).waitFor();
  await shoot(panel, "panel-question");
  await panel.emulateMedia({ colorScheme: "dark" });
  await panel.locator(".diff").scrollIntoViewIfNeeded();
  await panel.locator(".diff-code").first().waitFor();
  await panel.evaluate("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })");
  await shoot(panel, "panel-diff");
}

async function shoot(panel: Page, name: string): Promise<void> {
  await pause(1_000);
  await panel.screenshot({ path: target(name) });
}
