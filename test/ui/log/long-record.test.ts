import assert from "node:assert/strict";
import test from "node:test";
import { newAsker } from "../../fixtures/asking.ts";
import { runs } from "../../fixtures/runs.ts";
import { noBrowser, openPage, serveTo } from "../fixture.ts";
import { fillRecord } from "./record.ts";
import { shownSeqs, walkTimeline } from "./rows.ts";

const many = runs(10_000, 3_000);

test(
  "thousands of entries are scrolled to the end: every one in its place, few elements",
  { skip: noBrowser },
  async (t) => {
    const asker = newAsker(t);
    fillRecord(asker, { entries: many, from: Date.now() - 6 * 86_400_000, stepMs: 140_000 });
    const page = await openPage(t, await serveTo(t, asker), { at: "#/log", height: 2_400 });
    await page.getByText(`${many.toLocaleString("en-US")} entries`).waitFor();
    const { seqs, mostRows } = await walkTimeline(page);
    assert.deepEqual(
      seqs,
      Array.from({ length: many }, (_, index) => many - index),
    );
    assert.ok(mostRows < 120, `${mostRows} rows at one time`);
    const elements = Number(await page.evaluate("document.querySelectorAll('*').length"));
    assert.ok(elements < 3_000, `${elements} elements`);
    assert.match(await page.locator(".virtual-row[data-key='e1']").innerText(), /Called\s+Bash/);

    // From the end back to the top at once, and into the middle by its scroll bar.
    await page.evaluate("scrollTo(0, 0)");
    await page.locator(`.virtual-row[data-key='e${many}']`).waitFor();
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)");
    await page.locator(`.virtual-row[data-key='e${many}']`).waitFor({ state: "detached" });
    const middle = await shownSeqs(page);
    assert.ok(middle.length > 10 && middle.every((seq, index) => index === 0 || seq === (middle[index - 1] ?? 0) - 1));
  },
);
