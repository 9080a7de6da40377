// Sends one notice on one channel: starts the person's command, or sends a request.
// Invariant: no text of an agent is a word of a command, part of an address, or in a header. No message here has an address or a secret.

import { createHmac } from "node:crypto";
import { sendRequest } from "../process/network.ts";
import { readSecret } from "../process/read-secret.ts";
import { runNotifier } from "../process/start.ts";
import { errorCode } from "../shared/error-code.ts";
import { limits } from "../shared/limits.ts";
import type { Channel, ChannelTarget, SecretPlace } from "./channel.ts";
import type { Notice } from "./notice.ts";

export type SendEnd =
  | { readonly kind: "sent" }
  /** `isFinal`: it makes no sense to try again. */
  | { readonly kind: "failed"; readonly problem: string; readonly isFinal: boolean };

export interface NoticeSending {
  /** The person's, in which variables with secrets are. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

type Of<Kind extends ChannelTarget["kind"]> = Extract<ChannelTarget, { kind: Kind }>;

const sent: SendEnd = { kind: "sent" };

export async function sendNotice({ target }: Channel, notice: Notice, context: NoticeSending): Promise<SendEnd> {
  switch (target.kind) {
    case "command":
      return await startCommand(target, notice, context);
    case "webhook":
      return await sendWebhook(target, notice, context);
    case "ntfy":
      return await sendToTopic(target, notice, context);
  }
}

/** SECURITY(T69): the words are those of the configuration. What the notice says is in the input and in variables. */
async function startCommand({ argv }: Of<"command">, notice: Notice, context: NoticeSending): Promise<SendEnd> {
  const [file, ...args] = argv;
  const environment = {
    ...context.environment,
    SALLYPORT_NOTICE_TITLE: notice.title,
    SALLYPORT_NOTICE_TEXT: notice.text,
    SALLYPORT_NOTICE_URL: notice.url ?? "",
    SALLYPORT_NOTICE_COUNT: String(notice.count),
    SALLYPORT_NOTICE_SEVERITY: notice.severity,
  };
  const ended = await runNotifier({ file, args, environment, input: bodyOf(notice), signal: context.signal });
  if (ended.exitCode === 0) return sent;
  if (ended.isCut) return failed(`it did not end within ${limits.noticeMs / 1_000} s`);
  return failed(ended.exitCode === null ? "it could not be started" : `it ended with exit code ${ended.exitCode}`);
}

async function sendWebhook(
  { url, secret: at }: Of<"webhook">,
  notice: Notice,
  context: NoticeSending,
): Promise<SendEnd> {
  const secret = secretAt(at, context);
  if (typeof secret !== "string") return secret;
  const body = bodyOf(notice);
  const seconds = Math.floor(context.now() / 1_000);
  // The time is signed as well, so that a receiver can refuse a request that somebody kept and sends again.
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return await send(url, context, body, {
    "Content-Type": "application/json",
    "Sallyport-Notice": notice.id,
    "Sallyport-Signature": `t=${seconds},v1=${signature}`,
  });
}

const priorities = { low: "default", medium: "default", high: "high" } as const;

async function sendToTopic({ url, token: at }: Of<"ntfy">, notice: Notice, context: NoticeSending): Promise<SendEnd> {
  const token = at === null ? null : secretAt(at, context);
  if (token !== null && typeof token !== "string") return token;
  return await send(url, context, notice.text, {
    "Content-Type": "text/plain; charset=utf-8",
    Title: `Sallyport: ${notice.title}`,
    Priority: priorities[notice.severity],
    ...(notice.url === null ? {} : { Click: notice.url }),
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
  });
}

function bodyOf(notice: Notice): string {
  return JSON.stringify({ event: notice.count === 0 ? "trial" : "questions.waiting", ...notice });
}

function secretAt(place: SecretPlace, { environment }: NoticeSending): string | SendEnd {
  const read = readSecret(place, environment);
  return read.ok ? read.value : failed(`its secret cannot be read: ${read.failure.message}`);
}

async function send(
  url: string,
  { signal }: NoticeSending,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<SendEnd> {
  const late = AbortSignal.timeout(limits.noticeMs);
  try {
    const response = await sendRequest(url, {
      method: "POST",
      headers: { "User-Agent": "sallyport", ...headers },
      body,
      // SECURITY(T68): another place is not the one that the person wrote.
      redirect: "manual",
      signal: AbortSignal.any([signal, late]),
    });
    await response.body?.cancel().catch(() => undefined);
    return noticeAnswered(response.status);
  } catch (error) {
    if (late.aborted) return failed(`it did not answer within ${limits.noticeMs / 1_000} s`);
    const code = errorCode(error instanceof Error && error.cause !== undefined ? error.cause : error);
    return failed(`it could not be reached${code === "" ? "" : ` (${code})`}`);
  }
}

export function noticeAnswered(status: number): SendEnd {
  const isPassing = status >= 500 || status === 408 || status === 425 || status === 429;
  return status >= 200 && status < 300 ? sent : failed(`it answered with status ${status}`, !isPassing);
}

function failed(problem: string, isFinal = false): SendEnd {
  return { kind: "failed", problem, isFinal };
}
