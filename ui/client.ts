// The client of src/web/api.ts: the page enters once, then sends its own token with each request.
// Invariant: the page sends the token only to this origin, and never in an address.

import type { Entered, EnterRequest, Refused } from "../src/web/api.ts";

/** The server refused, or could not be reached (status 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly refused: Refused;

  constructor(status: number, refused: Refused) {
    super(refused.hint === undefined ? refused.message : `${refused.message} ${refused.hint}`);
    this.status = status;
    this.refused = refused;
  }
}

const KEY = "sallyport.page";
const listeners = new Set<() => void>();

function storedToken(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return memoryToken;
  }
}

/** If the browser has no storage for the page, the token lives as long as the page. */
let memoryToken: string | null = null;

function keepToken(token: string | null): void {
  memoryToken = token;
  try {
    if (token === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, token);
  } catch {
    // the token stays in memory
  }
  for (const listener of listeners) listener();
}

export function isEntered(): boolean {
  return storedToken() !== null;
}

/** Calls the listener when this page, or another tab of it, has entered or lost access. */
export function onEntered(listener: () => void): () => void {
  const fromOtherTab = (event: StorageEvent) => {
    if (event.key === KEY || event.key === null) listener();
  };
  listeners.add(listener);
  addEventListener("storage", fromOtherTab);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", fromOtherTab);
  };
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

const unreachable: Refused = { error: "unreachable", message: "Sallyport does not answer. Is it still running?" };

export async function get<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return (await (await request("GET", path, undefined, signal)).json()) as Answer;
}

export async function post<Answer>(path: string, body: unknown): Promise<Answer> {
  return (await (await request("POST", path, body)).json()) as Answer;
}

export async function del(path: string): Promise<void> {
  await request("DELETE", path);
}

/** Null if that side does not exist. */
export async function getBlob(path: string): Promise<Blob | null> {
  try {
    return await (await request("GET", path)).blob();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Returns the response itself, for a body that is read piece by piece. */
export async function request(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const token = storedToken();
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError(0, unreachable);
  }
  if (response.ok) return response;
  if (response.status === 401 && storedToken() === token) keepToken(null);
  throw new ApiError(response.status, await refusedOf(response));
}

async function refusedOf(response: Response): Promise<Refused> {
  try {
    const said = (await response.json()) as Partial<Refused>;
    if (typeof said.message === "string" && typeof said.error === "string") return said as Refused;
  } catch {
    // the message below covers it
  }
  return { error: "internal", message: `The server answered ${response.status} and did not say why.` };
}
