// How this person likes to see a diff, kept in the browser.

import type { DiffMode } from "./rows.ts";

const KEY = "sallyport.diff";

/** Null: they have not said. */
export function rememberedMode(): DiffMode | null {
  try {
    const mode = localStorage.getItem(KEY);
    return mode === "split" || mode === "unified" ? mode : null;
  } catch {
    return null;
  }
}

export function rememberMode(mode: DiffMode): void {
  try {
    localStorage.setItem(KEY, mode);
  } catch {
    // Without storage it holds until the page is closed.
  }
}
