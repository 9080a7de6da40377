// Sends a request to GitHub's REST API, and retries if that can help: after 5xx, rate limits, or a broken connection.
// Invariant: the token is in one header and nowhere else. No redirect is followed. The total waiting time is bounded.

import { redactText } from "../../../audit/redact-text.ts";
import { limits } from "../../../shared/limits.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { withoutCredentials } from "../../../audit/credential-echo.ts";

export interface GithubContext {
  /** `https://api.github.com`, or `https://host/api/v3` of an Enterprise server. */
  readonly baseUrl?: string | undefined;
  /** Null for requests without a sign-in. */
  readonly token: string | null;
  readonly signal?: AbortSignal | undefined;
  /** `requestMs`: how long a request waits without receiving a byte. `waitMs`: how long all waits and failed attempts may take. */
  readonly requestMs?: number | undefined;
  readonly waitMs?: number | undefined;
  /** Sends a request: the gate's own network module, or the browser's `fetch`. */
  readonly send: (url: string, options: RequestInit) => Promise<Response>;
  /** Throws early if the signal aborts. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

export interface GithubAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface GithubApi {
  readonly baseUrl: string;
  /** Returns every answer, including 404 and 422. Fails if there is no answer, or GitHub refuses the token or redirects. */
  request(method: "GET" | "POST" | "PATCH", path: string, body?: object): Promise<Result<GithubAnswer>>;
}

export const githubBaseUrl = "https://api.github.com";
const ATTEMPTS = 6;
const FIRST_WAIT_MS = 500;
const SLOW_BYTES_PER_MS = 64;

/** Throws for an address that would send the token unencrypted. */
export function createGithubApi(context: GithubContext): GithubApi {
  const baseUrl = (context.baseUrl ?? githubBaseUrl).replace(/\/+$/, "");
  const { protocol, hostname, username, password } = new URL(baseUrl);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (username !== "" || password !== "" || (protocol !== "https:" && !(protocol === "http:" && isLocal)))
    throw new TypeError("the address of the API must be https, without a user");
  const { token } = context;
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) throw new TypeError("the token holds what no token holds");
  const { send } = context;
  const sleep = context.sleep ?? sleepFor;
  const clean = (text: string): string =>
    redactText(withoutCredentials(text, token === null ? [] : [token]).replace(/[\p{Cc}\p{Cf}]+/gu, " ")).slice(0, 300);

  async function once(method: string, path: string, body: object | undefined): Promise<[Response, GithubAnswer]> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const silence = new AbortController();
    // There is no progress while the body is sent, so the timeout includes the time that a slow connection needs for it.
    const timeoutMs = (context.requestMs ?? limits.remoteSilentS * 1_000) + (sent?.length ?? 0) / SLOW_BYTES_PER_MS;
    const startTimer = () => setTimeout(() => silence.abort(new Error("it said nothing for too long")), timeoutMs);
    let timer = startTimer();
    const heard = (): void => {
      clearTimeout(timer);
      timer = startTimer();
    };
    try {
      const whole = AbortSignal.timeout(limits.remoteTotalS * 1_000);
      const signals = [silence.signal, whole, ...(context.signal === undefined ? [] : [context.signal])];
      const response = await send(`${baseUrl}${path}`, {
        method,
        headers: {
          accept: "application/vnd.github+json",
          "user-agent": "sallyport",
          "x-github-api-version": "2022-11-28",
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(sent === undefined ? {} : { body: sent }),
        redirect: "manual",
        signal: AbortSignal.any(signals),
      });
      return [response, await readAnswer(response, heard)];
    } finally {
      clearTimeout(timer);
    }
  }

  const cancelled = () =>
    fail("tool_failed", `Speaking to GitHub (${baseUrl}) was cancelled by the caller.`, {
      hint: "Whether a push arrived is found out by the same push again; it does not land twice.",
    });

  return {
    baseUrl,
    async request(method, path, body) {
      let waitedMs = 0;
      const mostMs = context.waitMs ?? 60_000;
      for (let attempt = 1; ; attempt += 1) {
        const begun = performance.now();
        let problem: string;
        let waitMs = FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
        try {
          const [response, answer] = await once(method, path, body);
          const wished = retryAfterMs(response, answer);
          if (wished === null) return judge(answer, path, clean);
          waitMs = Math.max(waitMs, wished);
          problem = `it answered ${answer.status}${quotedMessage(answer, clean)}`;
        } catch (error) {
          if (context.signal?.aborted === true) return cancelled();
          problem = clean(reasonOf(error));
        }
        // A failed attempt counts as waiting, too.
        waitedMs += performance.now() - begun;
        if (attempt >= ATTEMPTS || waitedMs + waitMs > mostMs)
          return fail("tool_failed", `GitHub (${baseUrl}) cannot be reached: ${problem}.`, {
            hint:
              waitMs > mostMs
                ? `Its limit ends in ${Math.ceil(waitMs / 1_000)} s: try again then.`
                : "Nothing has changed there. Try again later.",
          });
        waitedMs += waitMs;
        try {
          await sleep(waitMs, context.signal);
        } catch {
          return cancelled();
        }
      }
    },
  };
}

async function readAnswer(response: Response, heard: () => void): Promise<GithubAnswer> {
  const decoder = new TextDecoder();
  let text = "";
  const reader = response.body?.getReader();
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
    heard();
    text += decoder.decode(piece.value, { stream: true });
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = null; // for example an error page of a proxy
  }
  const isMap = typeof body === "object" && body !== null && !Array.isArray(body);
  return { status: response.status, body: isMap ? (body as Record<string, unknown>) : {} };
}

/** How long to wait before the next attempt; null if this answer is final. */
function retryAfterMs({ status, headers }: Response, { body }: GithubAnswer): number | null {
  if (status >= 500) return after(headers) ?? 0;
  const isLimit =
    status === 429 ||
    (status === 403 &&
      (headers.has("retry-after") ||
        headers.get("x-ratelimit-remaining") === "0" ||
        /secondary rate limit|abuse detection/i.test(JSON.stringify(body["message"] ?? ""))));
  return isLimit ? (after(headers) ?? 1_000) : null;
}

function after(headers: Headers): number | null {
  const written = headers.get("retry-after");
  if (written !== null) {
    const seconds = /^\d+$/.test(written) ? Number(written) : (Date.parse(written) - Date.now()) / 1_000;
    if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  }
  const reset = Number(headers.get("x-ratelimit-reset"));
  if (headers.get("x-ratelimit-remaining") !== "0" || !(reset > 0)) return null;
  return Math.max(0, reset * 1_000 - Date.now()) + 1_000;
}

function judge(answer: GithubAnswer, path: string, clean: (text: string) => string): Result<GithubAnswer> {
  const { status } = answer;
  const repository = /^\/repos\/([^/]+\/[^/]+)/.exec(path)?.[1] ?? path;
  if (status === 401)
    return fail("tool_failed", `GitHub did not take the token${quotedMessage(answer, clean)}.`, {
      hint: "Sign in again (gh auth login), or set GITHUB_TOKEN to a token that is still good.",
    });
  if (status === 403)
    return fail(
      "tool_failed",
      `GitHub does not let this token do that in ${repository}${quotedMessage(answer, clean)}.`,
      {
        hint: "The token needs to read and write the contents of the repository.",
      },
    );
  // A browser hides the target and the status of a redirect: the status is 0.
  if (status === 0 || (status >= 300 && status < 400))
    return fail("tool_failed", `${repository} has another name now; GitHub's redirect is not followed.`, {
      hint: "Name the repository as it is called today: what is shown must be what is used.",
    });
  return ok(answer);
}

function quotedMessage({ body }: GithubAnswer, clean: (text: string) => string): string {
  const message = body["message"];
  return typeof message === "string" && message !== "" ? `: ${clean(message)}` : "";
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "the connection broke";
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code === undefined ? error.message : `the connection broke (${cause.code})`;
}

function sleepFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
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
