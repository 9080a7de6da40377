// A person who has paired the side panel with their page, by the code and the number, in one browser.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { goTo, untilArmed } from "../ui/fixture.ts";

/** What the person reads on the page: a new code. */
export async function newCode(page: Page): Promise<string> {
  await goTo(page, "#/machine");
  await page.getByRole("button", { name: "Pair a device" }).click();
  return await page.locator(".pairing-code").innerText();
}

export async function typeCode(panel: Page, url: string, code: string): Promise<void> {
  await panel.getByLabel("Address of the page").fill(url);
  await panel.getByLabel("Code").fill(code);
  await panel.getByRole("button", { name: "Pair" }).click();
}

export async function pairPanel(page: Page, panel: Page, url: string): Promise<void> {
  await typeCode(panel, url, await newCode(page));
  await panel.getByRole("heading", { name: "Confirm it on the page" }).waitFor();
  const yes = page.getByRole("button", { name: /let it in/ });
  await yes.waitFor();
  assert.equal(
    await panel.locator(".pair-check").innerText(),
    await page.locator(".pairing-code").innerText(),
    "both show the same number",
  );
  await untilArmed(page);
  await yes.click();
  await panel.getByText("Live", { exact: true }).waitFor();
}
