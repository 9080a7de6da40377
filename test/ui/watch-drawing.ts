// Finds pages that the browser has stopped drawing.
// On a busy machine, Chromium's headless shell now and then gives a page no more frames, for good, although its scripts run on:
// requestAnimationFrame never calls back. A new size did not wake such a page. It is closed, so that its
// test fails at once, and scripts/run-tests.js runs the test's process again, once, with another browser.

import { appendFileSync } from "node:fs";
import type { Page } from "playwright-core";

const everyMs = 5_000;
const patienceMs = 30_000;
// The timer and the frame are both the page's own: a page that is only busy has neither, and is left alone.
const draws = `new Promise((done) => {
  requestAnimationFrame(() => done(true));
  setTimeout(() => done(false), ${patienceMs});
})`;

/** From now on until the page is closed. */
export function watchDrawing(page: Page): void {
  let timer = setTimeout(() => void look(), everyMs);
  timer.unref();
  page.once("close", () => clearTimeout(timer));

  async function look(): Promise<void> {
    // A page that navigates or closes meanwhile answers with an error: the next look tells.
    const isDrawn = await page.evaluate(draws).catch(() => true);
    if (page.isClosed()) return;
    if (isDrawn === false) {
      console.error(`${page.url()} had no frame for ${patienceMs / 1000} s: the browser has stopped drawing it`);
      const list = process.env["SALLYPORT_TESTS_STALLED"];
      if (list !== undefined) appendFileSync(list, `${process.argv[1]}\n`);
      await page.close();
      return;
    }
    timer = setTimeout(() => void look(), everyMs);
    timer.unref();
  }
}
