// Wakes pages that the browser has stopped drawing.
// On a busy machine, Chromium's headless shell now and then gives a page no more frames, for good, although its scripts run on:
// requestAnimationFrame never calls back. A new size asks the browser for a new frame. The stall cannot be made on purpose, so
// that this ends it has not been shown; the line on stderr tells when it was tried.

import type { Page } from "playwright-core";

const everyMs = 5_000;
const patienceMs = 10_000;
// The timer and the frame are both the page's own: a page that is only busy has neither, and is left alone.
const draws = `new Promise((done) => {
  requestAnimationFrame(() => done(true));
  setTimeout(() => done(false), ${patienceMs});
})`;

/** From now on until the page is closed. A page that was woken is said on stderr. */
export function keepDrawing(page: Page): void {
  let timer = setTimeout(look, everyMs);
  timer.unref();
  page.once("close", () => clearTimeout(timer));

  async function look(): Promise<void> {
    // A page that navigates or closes meanwhile answers with an error: the next look tells.
    const isDrawn = await page.evaluate(draws).catch(() => true);
    if (page.isClosed()) return;
    if (isDrawn === false) await wake(page).catch((error: unknown) => console.error("keep-drawing:", String(error)));
    timer = setTimeout(look, everyMs);
    timer.unref();
  }
}

async function wake(page: Page): Promise<void> {
  console.error(`keep-drawing: ${page.url()} had no frame for ${patienceMs / 1000} s and is given a new size`);
  const size = page.viewportSize();
  if (size === null) return;
  await page.setViewportSize({ width: size.width, height: size.height + 1 });
  await page.setViewportSize(size);
}
