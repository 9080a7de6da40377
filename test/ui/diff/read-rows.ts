// What a reader sees of a diff who scrolls through all of it.

import type { Page } from "playwright-core";

export interface SeenRow {
  readonly file: number;
  readonly pane: number;
  readonly row: number;
  readonly isHunk: boolean;
  readonly old: string;
  readonly new: string;
  /** `added`, `removed`, `unchanged`; empty: nothing stands there. */
  readonly label: string;
  readonly code: string;
  readonly marks: string;
}

// Run in the browser, where there are other names than here.
const readScript = `[...document.querySelectorAll(".diff-row")].map((row) => {
  const pane = row.closest(".diff-pane");
  const part = (name) => row.querySelector(name)?.textContent ?? "";
  const code = row.querySelector(".diff-code, .diff-hunk")?.cloneNode(true);
  const marks = [...(code?.querySelectorAll(".diff-mark, .diff-more") ?? [])].map((mark) => {
    mark.remove();
    return mark.textContent;
  });
  const section = code?.querySelector(".diff-section");
  if (section) section.textContent = " " + section.textContent;
  return {
    file: Number(row.closest("[data-file]").dataset.file),
    pane: [...pane.parentNode.children].indexOf(pane),
    row: Number(row.getAttribute("aria-rowindex")),
    isHunk: row.classList.contains("is-hunk"),
    old: part(".is-old"),
    new: part(".is-new"),
    label: row.querySelector(".diff-sign")?.getAttribute("aria-label") ?? "",
    code: code?.textContent ?? "",
    marks: marks.join(),
  };
})`;

// Run in the browser: one way there and back for a step, which on a busy machine is most of its time.
const settledScript = `(async () => {
  const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  await frames();
  const end = performance.now() + 30_000;
  while (document.querySelector(".diff-waiting") !== null) {
    if (performance.now() > end) throw new Error("something in view is still loading");
    await frames();
  }
})()`;

export async function rowsNow(page: Page): Promise<SeenRow[]> {
  return (await page.evaluate(readScript)) as SeenRow[];
}

/** All of it, file by file, pane by pane, in order. `look` is called at every stop. */
export async function readAll(page: Page, look: () => Promise<void> = async () => {}): Promise<SeenRow[]> {
  const found = new Map<string, SeenRow>();
  await page.evaluate("scrollTo(0, 0)");
  for (let isEnd = false; !isEnd;) {
    const rows = (await page.evaluate(`${settledScript}.then(() => ${readScript})`)) as SeenRow[];
    for (const row of rows) found.set(`${row.file} ${row.pane} ${row.row}`, row);
    await look();
    isEnd = (await page.evaluate(`(() => {
      const before = scrollY;
      scrollBy({ top: innerHeight * 0.8, behavior: "instant" });
      return scrollY === before;
    })()`)) as boolean;
  }
  return [...found.values()].sort(
    (one, other) => one.file - other.file || one.pane - other.pane || one.row - other.row,
  );
}

/** Two frames have been painted, and nothing in view is still loading. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(settledScript);
}

/** As `git diff` writes hunks. */
export function asGitText(rows: readonly SeenRow[]): string {
  const signs: Readonly<Record<string, string>> = { added: "+", removed: "-", unchanged: " " };
  return rows
    .map(({ isHunk, code, label, marks }) => {
      if (isHunk) return `${code}\n`;
      return `${signs[label]}${code}\n${marks === "" ? "" : "\\ No newline at end of file\n"}`;
    })
    .join("");
}

/** Until this is true in the browser. (Playwright's own way evaluates a string there, which the page's policy forbids.) */
export async function until(page: Page, expression: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while ((await page.evaluate(expression)) !== true) {
    if (Date.now() > deadline) throw new Error(`not in time: ${expression}`);
    await page.waitForTimeout(30);
  }
}
