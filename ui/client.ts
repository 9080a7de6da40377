// The client of src/web/api.ts, for the page and for the side panel: it sends the token of its connection with each request.
// Invariant: the token goes only to the server of the connection, and never in an address.

import type { Refused } from "../src/web/api.ts";

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

/** Where the server is, and the token by which it knows this page or device. */
export interface Connection {
  /** What stands before each path. Empty for the page, which comes from the server itself. */
  readonly base: string;
  token(): string | null;
  /** Called when the server does not know the token any more. */
  forget(): void;
  /** Calls the listener when there is a token, or none any more. */
  onChange(listener: () => void): () => void;
  /** In place of the network: for a gate that is no server. It answers as `fetch` does. */
  readonly send?: ((path: string, options: RequestInit) => Promise<Response>) | undefined;
}

let connection: Connection | null = null;

/** Called before anything is requested; again when the side panel goes to its other place, which begins anew there. */
export function connectThrough(chosen: Connection): void {
  connection = chosen;
}

function connected(): Connection {
  if (connection === null) throw new Error("Nothing was chosen to connect through.");
  return connection;
}

export function isEntered(): boolean {
  return connected().token() !== null;
}

/** Calls the listener when this page, or another tab of it, has entered or lost access. */
export function onEntered(listener: () => void): () => void {
  return connected().onChange(listener);
}

export const unreachable: Refused = {
  error: "unreachable",
  message: "Sallyport does not answer. Is it still running?",
};

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
  const through = connected();
  const token = through.token();
  let response: Response;
  try {
    response = await (through.send ?? fetch)(`${through.base}${path}`, {
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
  if (response.status === 401 && through.token() === token) through.forget();
  throw new ApiError(response.status, await refusedOf(response));
}

export async function refusedOf(response: Response): Promise<Refused> {
  try {
    const said = (await response.json()) as Partial<Refused>;
    if (typeof said.message === "string" && typeof said.error === "string") return said as Refused;
  } catch {
    // the message below covers it
  }
  return { error: "internal", message: `The server answered ${response.status} and did not say why.` };
}
