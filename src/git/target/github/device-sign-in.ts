// Signs a person in to GitHub by its device flow: GitHub gives a short code, the person enters it on GitHub's own page, and GitHub
// gives a token to who asked for the code. Nothing has to listen, and no client secret is needed.
// Invariant: the token is returned to the caller and is nowhere else. No error repeats what GitHub sent, except words of its interface.

import { type Clock, systemClock } from "../../../shared/clock.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { isGithubToken } from "./github-answer.ts";
import {
  type GithubAnswer,
  readGithubAnswer,
  secretsUrl,
  type SendContext,
  sendTimed,
  sleepFor,
} from "./github-send.ts";

export interface DeviceSignInContext extends SendContext {
  /** Of an app that is registered at GitHub with the device flow enabled. It is no secret. */
  readonly clientId: string;
  /**
   * `repo` reads and writes the person's repositories, also the private ones; `public_repo` only the public ones. GitHub has no
   * smaller scopes for pushes. An app of the kind "GitHub App" has permissions of its own in place of a scope.
   */
  readonly scope: "repo" | "public_repo";
  /** `https://github.com`, or the page of an Enterprise server. */
  readonly baseUrl?: string | undefined;
  readonly clock?: Clock | undefined;
}

export interface DeviceSignIn {
  /** What the person enters, like `WDJB-MJHT`. */
  readonly userCode: string;
  /** Where, on GitHub's own host. */
  readonly verificationUrl: string;
  readonly validS: number;
  /** Waits for the person. Call it once. */
  token(): Promise<Result<string>>;
}

const SLOWER_S = 5; // what `slow_down` adds, by RFC 8628
const SLOWEST_S = 60;
const LONGEST_S = 3_600;
const ANSWER_BYTES = 64 * 1024;
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** Throws for an address that would send the token unencrypted. */
export async function beginDeviceSignIn(context: DeviceSignInContext): Promise<Result<DeviceSignIn>> {
  const baseUrl = secretsUrl(context.baseUrl ?? "https://github.com");
  const { clientId, scope } = context;
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(clientId))
    return fail("invalid_args", "clientId: is not the id of an app at GitHub.", {
      hint: "Register an app at GitHub with the device flow enabled, and use its client id.",
    });
  const asked = await post(context, `${baseUrl}/login/device/code`, { client_id: clientId, scope });
  if (asked === null) return cancelled();
  if (typeof asked === "string") return unreachable(baseUrl, asked);
  const { body } = asked;
  if (typeof body["error"] === "string" || asked.status !== 200) return refused(baseUrl, asked);
  const { device_code: code, user_code: userCode, verification_uri: page } = body;
  const [validS, intervalS] = [secondsIn(body["expires_in"], LONGEST_S), secondsIn(body["interval"] ?? 5, SLOWEST_S)];
  if (typeof code !== "string" || code === "" || typeof userCode !== "string" || validS === null || intervalS === null)
    return refused(baseUrl, asked);
  // SECURITY(T85): the person goes where this leads and signs in there.
  if (!/^[A-Z0-9-]{4,20}$/.test(userCode) || !isPageOf(page, baseUrl)) return refused(baseUrl, asked);
  const poll = { context, baseUrl, code, validS, intervalS };
  return ok({ userCode, verificationUrl: page, validS, token: () => waitForToken(poll) });
}

interface Poll {
  readonly context: DeviceSignInContext;
  readonly baseUrl: string;
  readonly code: string;
  readonly validS: number;
  readonly intervalS: number;
}

async function waitForToken({ context, baseUrl, code, validS, intervalS }: Poll): Promise<Result<string>> {
  const { clock = systemClock, sleep = sleepFor, signal, clientId } = context;
  const untilMs = clock.monotonic() + validS * 1_000;
  const fields = { client_id: clientId, device_code: code, grant_type: GRANT };
  let waitS = intervalS;
  for (;;) {
    if (clock.monotonic() + waitS * 1_000 >= untilMs) return expired();
    try {
      await sleep(waitS * 1_000, signal);
    } catch {
      return cancelled();
    }
    const answer = await post(context, `${baseUrl}/login/oauth/access_token`, fields);
    if (answer === null) return cancelled();
    // A person may take minutes, in which a connection may break: it is tried again, less often.
    if (typeof answer === "string" || answer.status >= 500 || answer.status === 429) {
      waitS = Math.min(2 * waitS, SLOWEST_S);
      continue;
    }
    const { access_token: token, error, interval } = answer.body;
    if (answer.status === 200 && typeof token === "string" && isGithubToken(token)) return ok(token);
    if (error === "authorization_pending") continue;
    if (error === "slow_down")
      waitS = Math.min(Math.max(waitS + SLOWER_S, secondsIn(interval, SLOWEST_S) ?? 0), SLOWEST_S);
    else if (error === "expired_token") return expired();
    else if (error === "access_denied")
      return fail("approval_denied", "The sign-in to GitHub was cancelled on GitHub's page.", {
        hint: "Begin it again.",
      });
    else return refused(baseUrl, answer);
  }
}

/** Null if the caller is gone; a text if there was no answer. */
async function post(
  context: DeviceSignInContext,
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<GithubAnswer | string | null> {
  const headers = { accept: "application/json", "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams(fields).toString();
  try {
    return await sendTimed(context, url, { method: "POST", headers, body, redirect: "manual" }, (response, heard) =>
      readGithubAnswer(response, heard, ANSWER_BYTES),
    );
  } catch {
    // What was thrown could repeat what was sent.
    return context.signal?.aborted === true ? null : "the connection broke";
  }
}

function secondsIn(value: unknown, most: number): number | null {
  return typeof value === "number" && value > 0 ? Math.min(Math.max(value, 1), most) : null;
}

function isPageOf(page: unknown, baseUrl: string): page is string {
  return typeof page === "string" && URL.canParse(page) && new URL(page).origin === new URL(baseUrl).origin;
}

function expired(): Result<never> {
  return fail("approval_timeout", "The code for the sign-in to GitHub has expired.", {
    hint: "Begin the sign-in again.",
  });
}

function cancelled(): Result<never> {
  return fail("tool_failed", "The sign-in to GitHub was cancelled by the caller.");
}

function unreachable(baseUrl: string, problem: string): Result<never> {
  return fail("tool_failed", `${baseUrl} cannot be reached for the sign-in: ${problem}.`, { hint: "Try again later." });
}

function refused(baseUrl: string, { status, body }: GithubAnswer): Result<never> {
  const { error } = body;
  const code = typeof error === "string" && Object.hasOwn(hints, error) ? error : null;
  return fail(
    "tool_failed",
    `${baseUrl} refused the sign-in: ${code ?? `an answer ${status} that is not understood`}.`,
    {
      hint: code === null ? "Check the address of GitHub and the client id." : hints[code],
    },
  );
}

const hints: Readonly<Record<string, string>> = {
  device_flow_disabled: "Enable the device flow in the settings of the app at GitHub.",
  incorrect_client_credentials: "Check the client id.",
  incorrect_device_code: "Begin the sign-in again.",
  unauthorized_client: "Check the client id, and that the app has the device flow enabled.",
  unsupported_grant_type: "This server does not know the device flow.",
};
