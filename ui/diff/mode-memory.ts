// The person's settings for diffs, kept in the browser.

import type { DiffMode } from "./rows.ts";

const MODE = "sallyport.diff";
const WRAP = "sallyport.diff.wrap";

/** Null if the person has not chosen. */
export function rememberedMode(): DiffMode | null {
  const mode = recall(MODE);
  return mode === "split" || mode === "unified" ? mode : null;
}

export function rememberMode(mode: DiffMode): void {
  keep(MODE, mode);
}

/** Whether long lines are wrapped. They are by default, because people do not read what is far to the right. */
export function rememberedWrap(): boolean {
  return recall(WRAP) !== "no";
}

export function rememberWrap(isWrapped: boolean): void {
  keep(WRAP, isWrapped ? "yes" : "no");
}

function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Without storage the setting lasts until the page is closed.
  }
}
