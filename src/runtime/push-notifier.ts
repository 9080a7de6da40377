// Tells paired devices that questions wait, through the push services of their browsers.
// Invariant: a device decides which push service is called, and nothing else. It is called over TLS at a public address, or at one
// that the person wrote; a device that was revoked is called no more.

import { createHash, type KeyObject } from "node:crypto";
import type { QuestionQueue } from "../approval/shared-store.ts";
import { isRefusedAddress } from "../network/address.ts";
import { postOnce } from "../network/post-once.ts";
import type { Outbound } from "../network/outbound.ts";
import type { PushChannel, PushTerms } from "../notify/channel.ts";
import type { Notice } from "../notify/notice.ts";
import { pushRequest } from "../notify/push-notice.ts";
import { noticeAnswered, type NoticeSending, type SendEnd } from "../notify/send-notice.ts";
import { lookUpAddresses } from "../process/network.ts";
import type { Clock } from "../shared/clock.ts";
import { parseIpAddress } from "../shared/ip-address.ts";
import { limits } from "../shared/limits.ts";
import type { Devices } from "../store/devices.ts";
import { isOwnPort } from "./open-network.ts";
import { createNotifier, type Notifier } from "./notifier.ts";

export interface PushNotifierContext {
  readonly devices: Devices;
  readonly terms: PushTerms;
  readonly key: KeyObject;
  /** An `https` address of this server. */
  readonly contact: () => string;
  readonly queue: () => QuestionQueue;
  readonly clock?: Clock;
}

export function createPushNotifier({ devices, terms, key, contact, queue, clock }: PushNotifierContext): Notifier {
  const channels = (): readonly PushChannel[] =>
    devices.subscribed().map(({ id, subscriber }) => ({
      ...terms,
      key: createHash("sha256").update(`push ${subscriber.endpoint}`).digest("hex").slice(0, 32),
      device: id,
      subscriber,
    }));
  const send = async (channel: PushChannel, notice: Notice, context: NoticeSending): Promise<SendEnd> => {
    // SECURITY(T112): the device may have been revoked since the channel was claimed.
    const isThere = devices.subscribed().some((one) => one.subscriber.endpoint === channel.subscriber.endpoint);
    if (!isThere) return failed("notices were switched off there", true);
    const { headers, body } = pushRequest(notice, channel.subscriber, { key, contact: contact(), now: context.now() });
    const end = await post(channel.subscriber.endpoint, headers, body, context.signal);
    if (end.isGone) devices.unsubscribe(channel.device, channel.subscriber.endpoint);
    return end.send;
  };
  const post = async (endpoint: string, headers: PushHeaders, body: Buffer, signal: AbortSignal) => {
    const late = AbortSignal.timeout(limits.noticeMs);
    const url = new URL(endpoint);
    const posted = await postOnce(
      {
        url,
        headers: { "User-Agent": "sallyport", ...headers },
        body,
        mayBePrivate: terms.services.includes(hostAndPort(url)),
        signal: AbortSignal.any([signal, late]),
      },
      outbound,
    );
    if (posted.ok)
      return { send: noticeAnswered(posted.status), isGone: posted.status === 404 || posted.status === 410 };
    const problem = posted.isRefused
      ? "its push service is not at a public address"
      : late.aborted
        ? `its push service did not answer within ${limits.noticeMs / 1_000} s`
        : `its push service could not be reached${posted.code === "" ? "" : ` (${posted.code})`}`;
    return { send: failed(problem, posted.isRefused), isGone: false };
  };
  return createNotifier({ channels, send, queue, environment: {}, ...(clock === undefined ? {} : { clock }) });
}

type PushHeaders = Readonly<Record<string, string>>;

const outbound: Outbound = { lookup: lookUpAddresses, isOwnPort };

function failed(problem: string, isFinal: boolean): SendEnd {
  return { kind: "failed", problem, isFinal };
}

/** Why no notice is sent to such an address; null if it may be. What a name leads to is checked again for each notice. */
export function pushEndpointProblem(endpoint: string, { services }: PushTerms): string | null {
  const url = URL.parse(endpoint);
  // SECURITY(T112): a device could have the gate send requests to servers that only this machine reaches.
  if (url?.protocol !== "https:") return "It is not an https address.";
  if (url.username !== "" || url.password !== "" || url.hash !== "") return "It has a user, a password or a fragment.";
  if (services.includes(hostAndPort(url))) return null;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isPrivate = host === "localhost" || (parseIpAddress(host) !== null && isRefusedAddress(host));
  return isPrivate ? "It is not a public address." : null;
}

function hostAndPort({ hostname, port }: URL): string {
  return `${hostname}:${port === "" ? "443" : port}`;
}
