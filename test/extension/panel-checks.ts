// What every view of the panel must hold in both schemes, and what a script's click must not do. For pages of the built extension.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { axeProblems, later } from "../ui/fixture.ts";
import { runInPage } from "./in-page.ts";

const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

export async function checkPanel(panel: Page, what: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await panel.emulateMedia({ colorScheme });
    assert.deepEqual(await axeProblems(panel), [], `${what}, ${colorScheme}`);
    assert.equal(await runInPage(panel, overflow), 0, `${what} fits, ${colorScheme}`);
  }
}

/** Long enough after it that an answer would have arrived. */
export async function clickByScript(panel: Page): Promise<void> {
  for (const forged of ["button.click()", "button.dispatchEvent(new MouseEvent('click', { bubbles: true }))"])
    await runInPage(panel, `((button) => void ${forged})(document.querySelector("[data-allow]"))`);
  await later(panel, 700);
}
