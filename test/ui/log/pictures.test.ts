import assert from "node:assert/strict";
import test from "node:test";
import { newAsker } from "../../fixtures/asking.ts";
import { noBrowser, openPage, serveTo } from "../fixture.ts";
import { fillRecord } from "./record.ts";

test("the pictures say in words and tables what the record counts", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  fillRecord(asker, { entries: 300, from: Date.now() - 10 * 3_600_000, stepMs: 120_000 });
  const stats = JSON.parse(asker.run(["audit", "stats", "--json"]).out) as {
    calls: number;
    refusals: Record<string, number>;
    durations: Record<string, { p50_s: number }>;
  };
  const refused = Object.values(stats.refusals).reduce((sum, count) => sum + count, 0);
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log" });
  await page.locator("svg.hours .bar-calls").nth(2).waitFor({ state: "attached" });
  assert.match(
    (await page.locator("svg.hours").getAttribute("aria-label")) ?? "",
    new RegExp(`: ${stats.calls} calls, ${refused} refused`),
  );
  const cells = (await page.evaluate(
    `[...document.querySelectorAll(".picture .said tbody tr")].map((row) => [...row.querySelectorAll("td")].map((cell) => Number(cell.textContent)))`,
  )) as [number, number][];
  assert.equal(
    cells.reduce((sum, [calls]) => sum + calls, 0),
    stats.calls,
  );
  assert.equal(
    cells.reduce((sum, [, count]) => sum + count, 0),
    refused,
  );
  const kinds = page.getByRole("table", { name: /Refusals by kind/ });
  assert.equal(await kinds.getByRole("row").count(), Object.keys(stats.refusals).length + 1);
  await kinds.getByRole("link", { name: "path not granted" }).click();
  await page.getByText(`${stats.refusals["fs_denied"]} entries match`).waitFor();
  const times = page.getByRole("table", { name: /Time per tool/ });
  assert.equal(await times.getByRole("row").count(), Object.keys(stats.durations).length + 1);
  assert.equal(await page.locator("main [style]:not(.virtual-list, .virtual-row)").count(), 0);
});
