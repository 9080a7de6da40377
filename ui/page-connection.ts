// How the page itself reaches its server: the same origin, with a token that it gets for a link, or on another device by pairing,
// and keeps in its storage.
// Invariant: the token is never in an address.

import type { Entered, EnterRequest, Refused } from "../src/web/api.ts";
import { type Connection, refusedOf, unreachable } from "./client.ts";

const KEY = "sallyport.page";
const listeners = new Set<() => void>();

/** If the browser has no storage for the page, the token lives as long as the page. */
let memoryToken: string | null = null;

export const pageConnection: Connection = {
  base: "",
  token() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return memoryToken;
    }
  },
  forget: () => keepToken(null),
  onChange(listener) {
    const fromOtherTab = (event: StorageEvent) => {
      if (event.key === KEY || event.key === null) listener();
    };
    listeners.add(listener);
    addEventListener("storage", fromOtherTab);
    return () => {
      listeners.delete(listener);
      removeEventListener("storage", fromOtherTab);
    };
  },
};

export function keepToken(token: string | null): void {
  memoryToken = token;
  try {
    if (token === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, token);
  } catch {
    // the token stays in memory
  }
  for (const listener of listeners) listener();
}

/**
 * Exchanges the token of a link for the page's own. Returns the server's message if the link is not valid; null if the page
 * has entered.
 */
export async function enter(token: string): Promise<Refused | null> {
  const body: EnterRequest = { token };
  try {
    const response = await fetch("/api/enter", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) return await refusedOf(response);
    keepToken(((await response.json()) as Entered).page);
    return null;
  } catch {
    return unreachable;
  }
}
