// Sends a request to GitHub's REST API, and retries if that can help: after 5xx, rate limits, or a broken connection.
// Invariant: the token is in one header and nowhere else. No redirect is followed, except that of an archive, which goes without
// the token. The total waiting time is bounded.

import { redactText } from "../../../audit/redact-text.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { withoutCredentials } from "../../../audit/credential-echo.ts";
import { readGithubArchive } from "./github-archive.ts";
import {
  type GithubAnswer,
  GithubAnswerTooLong,
  readGithubAnswer,
  secretsUrl,
  type SendContext,
  sendTimed,
  sleepFor,
} from "./github-send.ts";

export interface GithubContext extends SendContext {
  /** `https://api.github.com`, or `https://host/api/v3` of an Enterprise server. */
  readonly baseUrl?: string | undefined;
  /** Null for requests without a sign-in. */
  readonly token: string | null;
  /** How long all waits and failed attempts may take. */
  readonly waitMs?: number | undefined;
}

export interface GithubApi {
  readonly baseUrl: string;
  /** Returns every answer, including 404 and 422. Fails if there is no answer, or GitHub refuses the token or redirects. */
  request(method: "GET" | "POST" | "PATCH", path: string, body?: object): Promise<Result<GithubAnswer>>;
  /**
   * Gives `read` what is in the `.tar.gz` that the path redirects to, unpacked, piece by piece. What breaks on the way ends the
   * pieces early. Fails if there is no such archive.
   */
  readArchive(path: string, read: (pieces: AsyncIterable<Uint8Array>) => Promise<void>): Promise<Result<undefined>>;
}

export const githubBaseUrl = "https://api.github.com";
const ATTEMPTS = 6;
const FIRST_WAIT_MS = 500;

/** Throws for an address that would send the token unencrypted. */
export function createGithubApi(context: GithubContext): GithubApi {
  const baseUrl = secretsUrl(context.baseUrl ?? githubBaseUrl);
  const { token } = context;
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) throw new TypeError("the token holds what no token holds");
  const sleep = context.sleep ?? sleepFor;
  const clean = (text: string): string =>
    redactText(withoutCredentials(text, token === null ? [] : [token]).replace(/[\p{Cc}\p{Cf}]+/gu, " ")).slice(0, 300);
  const headers = {
    accept: "application/vnd.github+json",
    "user-agent": "sallyport",
    "x-github-api-version": "2022-11-28",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };

  function once<T>(method: string, path: string, body: object | undefined, read: ReadAnswer<T>): Promise<T> {
    const options = body === undefined ? { headers } : sentBody(headers, body);
    return sendTimed(context, `${baseUrl}${path}`, { method, redirect: "manual", ...options }, read);
  }

  const cancelled = () =>
    fail("tool_failed", `Speaking to GitHub (${baseUrl}) was cancelled by the caller.`, {
      hint: "Whether a push arrived is found out by the same push again; it does not land twice.",
    });

  /** Repeats an attempt while that can help. */
  async function exchange(attempt: () => Promise<Exchange>): Promise<Result<Exchange>> {
    let waitedMs = 0;
    const mostMs = context.waitMs ?? 60_000;
    for (let count = 1; ; count += 1) {
      const begun = performance.now();
      let problem: string;
      let waitMs = FIRST_WAIT_MS * 2 ** (count - 1) * (0.75 + Math.random() / 2);
      try {
        const done = await attempt();
        const wished = retryAfterMs(done.response, done.answer);
        if (wished === null) return ok(done);
        waitMs = Math.max(waitMs, wished);
        problem = `it answered ${done.answer.status}${quotedMessage(done.answer, clean)}`;
      } catch (error) {
        if (context.signal?.aborted === true) return cancelled();
        problem = clean(reasonOf(error));
        if (error instanceof GithubAnswerTooLong)
          return fail("tool_failed", `GitHub (${baseUrl}) cannot be read: ${problem}.`, {
            hint: "Nothing has changed there. Is it the address of a GitHub?",
          });
      }
      // A failed attempt counts as waiting, too.
      waitedMs += performance.now() - begun;
      if (count >= ATTEMPTS || waitedMs + waitMs > mostMs)
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
  }

  return {
    baseUrl,
    async request(method, path, body) {
      const done = await exchange(() => once(method, path, body, readAnswer));
      return done.ok ? judge(done.value.answer, path, clean) : done;
    },
    async readArchive(path, read) {
      const asked = await exchange(() => once("GET", path, undefined, readRedirect));
      if (!asked.ok) return asked;
      return await readGithubArchive(asked.value.response, { ...context, api: { baseUrl, path, headers } }, read);
    },
  };
}

interface Exchange {
  readonly response: Response;
  readonly answer: GithubAnswer;
}

type ReadAnswer<T> = (response: Response, heard: () => void) => Promise<T>;

function sentBody(
  headers: Readonly<Record<string, string>>,
  body: object,
): { headers: Record<string, string>; body: string } {
  return { headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function readAnswer(response: Response, heard: () => void): Promise<Exchange> {
  return { response, answer: await readGithubAnswer(response, heard) };
}

/** A redirect has nothing to read. */
async function readRedirect(response: Response, heard: () => void): Promise<Exchange> {
  if (response.status >= 400) return await readAnswer(response, heard);
  await response.body?.cancel();
  return { response, answer: { status: response.status, body: {} } };
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
