// Sends one request to GitHub and reads the answer.
// Invariant: it ends after a bounded silence, a bounded time, a bounded number of bytes, or when the caller is gone.

import { limits } from "../../../shared/limits.ts";

export interface SendContext {
  readonly signal?: AbortSignal | undefined;
  /** How long a request waits without receiving a byte. */
  readonly requestMs?: number | undefined;
  /** Sends a request: the gate's own network module, or the browser's `fetch`. */
  readonly send: (url: string, options: RequestInit) => Promise<Response>;
  /** Throws early if the signal aborts. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

export interface GithubAnswer {
  readonly status: number;
  /** Empty if the answer was no JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

const SLOW_BYTES_PER_MS = 64;

/**
 * GitHub lets a browser keep most answers for a minute. A branch that was asked about before a push would then still be where it was; and
 * what a browser keeps is on its disk. Nothing but what is given here goes along.
 */
const alone = { cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer" } as const;

/** An address that secrets are sent to, without a slash at its end. Throws for one that would send them unencrypted. */
export function secretsUrl(text: string): string {
  const baseUrl = text.replace(/\/+$/, "");
  const { protocol, hostname, username, password } = new URL(baseUrl);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (username !== "" || password !== "" || (protocol !== "https:" && !(protocol === "http:" && isLocal)))
    throw new TypeError("the address of GitHub must be https, without a user");
  return baseUrl;
}

/** `read` calls its second argument for each piece that arrives. */
export async function sendTimed<T>(
  { send, signal, requestMs }: SendContext,
  url: string,
  options: RequestInit & { readonly body?: string },
  read: (response: Response, heard: () => void) => Promise<T>,
): Promise<T> {
  const silence = new AbortController();
  // There is no progress while the body is sent, so the timeout includes the time that a slow connection needs for it.
  const timeoutMs = (requestMs ?? limits.remoteSilentS * 1_000) + (options.body?.length ?? 0) / SLOW_BYTES_PER_MS;
  const startTimer = () => setTimeout(() => silence.abort(new Error("it said nothing for too long")), timeoutMs);
  let timer = startTimer();
  const heard = (): void => {
    clearTimeout(timer);
    timer = startTimer();
  };
  try {
    const whole = AbortSignal.timeout(limits.remoteTotalS * 1_000);
    const signals = [silence.signal, whole, ...(signal === undefined ? [] : [signal])];
    return await read(await send(url, { ...options, ...alone, signal: AbortSignal.any(signals) }), heard);
  } finally {
    clearTimeout(timer);
  }
}

/** The body of an answer. Whoever stops early ends the transfer. */
export async function* bodyPieces(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (body === null) return;
  const reader = body.getReader(); // not every browser can iterate a stream
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  } finally {
    // After an error there is nothing left to cancel, and the error is the reader's to report.
    await reader.cancel().catch(() => undefined);
  }
}

export async function readGithubAnswer(
  response: Response,
  heard: () => void,
  mostBytes: number = limits.githubAnswerBytes,
): Promise<GithubAnswer> {
  const body = await readGithubJson(response, heard, mostBytes);
  const isMap = typeof body === "object" && body !== null && !Array.isArray(body);
  return { status: response.status, body: isMap ? (body as Record<string, unknown>) : {} };
}

/** Null if it is no JSON, such as an error page of a proxy. Throws a `GithubAnswerTooLong`. */
export async function readGithubJson(response: Response, heard: () => void, mostBytes: number): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  let bytesLeft = mostBytes;
  for await (const piece of bodyPieces(response.body)) {
    heard();
    // SECURITY(T85): an answer without an end would fill the memory.
    bytesLeft -= piece.length;
    if (bytesLeft < 0) throw new GithubAnswerTooLong(mostBytes);
    text += decoder.decode(piece, { stream: true });
  }
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export class GithubAnswerTooLong extends Error {
  constructor(mostBytes: number) {
    super(`it sent more than ${mostBytes} bytes in one answer`);
  }
}

export function sleepFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
