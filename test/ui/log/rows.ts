// Looks at the timeline as a person does: row by row, from its top to its end.

import type { Page } from "playwright-core";

export interface Walked {
  /** The numbers of the entries, in the order in which they stand. */
  readonly seqs: readonly number[];
  /** The most rows that existed at one time. */
  readonly mostRows: number;
}

// Runs in the page. Each look is taken after a frame, as the screen shows it.
const walk = `(async () => {
  const seen = new Map();
  let mostRows = 0;
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const look = () => {
    const rows = [...document.querySelectorAll(".virtual-row")];
    mostRows = Math.max(mostRows, rows.length);
    for (const row of rows) {
      const { top, bottom } = row.getBoundingClientRect();
      const key = row.getAttribute("data-key");
      if (bottom > 0 && top < innerHeight && key.startsWith("e")) seen.set(Number(row.getAttribute("data-index")), Number(key.slice(1)));
    }
  };
  // A slow machine draws later than it scrolls: what is in view has to come before one goes on.
  const drawn = async () => {
    for (let count = 0; count < 600; count += 1) {
      await frame();
      const list = document.querySelector(".virtual-list")?.getBoundingClientRect();
      if (list === undefined) return;
      const rows = [...document.querySelectorAll(".virtual-row")].map((row) => row.getBoundingClientRect());
      const top = Math.min(...rows.map((row) => row.top));
      const bottom = Math.max(...rows.map((row) => row.bottom));
      if (top <= Math.max(0, list.top) + 1 && bottom >= Math.min(innerHeight, list.bottom) - 1) return;
    }
    throw new Error("rows in view do not come");
  };
  scrollTo(0, 0);
  await drawn();
  for (let still = 0; still < 600; ) {
    look();
    // Asked before the step: what comes while it is taken still has to be walked through.
    const isAll = document.querySelector(".timeline-end")?.textContent?.startsWith("Older entries come") === false;
    const before = scrollY;
    scrollBy(0, innerHeight * 0.9);
    await drawn();
    still = scrollY === before ? still + (isAll ? 600 : 1) : 0;
  }
  look();
  return { seqs: [...seen].sort(([a], [b]) => a - b).map(([, seq]) => seq), mostRows };
})()`;

/** Scrolls through all of it, older entries being fetched on the way. */
export async function walkTimeline(page: Page): Promise<Walked> {
  return (await page.evaluate(walk)) as Walked;
}

/** The numbers in the rows that exist now, from top to bottom. */
export async function shownSeqs(page: Page): Promise<number[]> {
  const found = `[...document.querySelectorAll(".virtual-row[data-key^=e]")]
    .sort((a, b) => a.getAttribute("data-index") - b.getAttribute("data-index"))
    .map((row) => Number(row.getAttribute("data-key").slice(1)))`;
  return (await page.evaluate(found)) as number[];
}
