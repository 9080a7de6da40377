import assert from "node:assert/strict";
import test from "node:test";
import type { Page } from "playwright-core";
import { pushQuestion, waitsIn } from "../fixtures/push-question.ts";
import { axeProblems, goTo, newPage, noBrowser, openPage, serve, untilArmed } from "./fixture.ts";
import { stageCommit } from "./waiting.ts";

const skip = noBrowser;

/** Its lines are drawn only near the screen. */
async function showDiff(page: Page): Promise<void> {
  await page.locator(".diff").scrollIntoViewIfNeeded();
  await page.locator(".diff-code").first().waitFor();
}

// Colours go by the scheme, places by the width: each of them once.
for (const [scheme, width] of [
  ["light", 1280],
  ["dark", 360],
] as const)
  test(`axe finds nothing, ${scheme}, at ${width} px`, { skip }, async (t) => {
    const served = await serve(t);
    const { asker } = served;
    const page = await openPage(t, served, { scheme, width });
    const check = async (what: string) => assert.deepEqual(await axeProblems(page), [], what);
    await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
    await check("the empty queue");
    await waitsIn(
      asker.state,
      pushQuestion([["a.ts", "const a = 1;\n", "const a = 2;\n"]], {
        branch: "main",
        isProtected: true,
        isNewBranch: true,
        warnings: ["others execute it"],
      }),
    );
    stageCommit(asker.state, "c-1", "A draft", "draft.md", "# Draft\n");
    asker.begin(asker.call);
    const rows = page.locator("a.queue-row");
    await rows.nth(2).waitFor();
    await check("the queue");
    await page.keyboard.press("?");
    await check("the help");
    await page.keyboard.press("Escape");
    await rows.filter({ hasText: "cat note" }).click();
    await page.getByRole("heading", { name: "Your answer" }).waitFor();
    await check("a question");
    await untilArmed(page);
    await page.getByRole("button", { name: "Always, everywhere…" }).click();
    await check("the rule");
    await goTo(page, "#/q/q-0000abcd");
    await showDiff(page);
    await check("a push");
    await untilArmed(page);
    await page.getByRole("button", { name: "Approve once" }).click();
    await page.getByRole("heading", { name: "Approved once" }).waitFor();
    await check("an answer");
    await goTo(page, "#/staged/c-1");
    await showDiff(page);
    await check("a staged commit");
  });

test("the control: axe does find what is wrong", { skip }, async (t) => {
  const page = await newPage(t);
  await page.setContent("<main><img src=x><button></button></main>");
  assert.notDeepEqual(await axeProblems(page), []);
});
