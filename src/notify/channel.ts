// A channel: one way by which the gate tells a person that questions wait: an entry of the configuration, or a paired device.

import type { Severity } from "../approval/approver.ts";
import type { QuietHours } from "./quiet-hours.ts";

/** Where a secret of the person lies. */
export type SecretPlace =
  | { readonly kind: "env"; readonly name: string }
  | { readonly kind: "file"; readonly path: string };

export type ChannelTarget =
  | { readonly kind: "command"; readonly argv: readonly [string, ...string[]] }
  | { readonly kind: "webhook"; readonly url: string; readonly secret: SecretPlace }
  | { readonly kind: "ntfy"; readonly url: string; readonly token: SecretPlace | null };

/** When a channel tells, and how much. */
export interface NoticeTerms {
  /** How replies to agents name it. */
  readonly name: string;
  /** How long a question waits first, in milliseconds. */
  readonly afterMs: number;
  /** The shortest time between two notices, in milliseconds. */
  readonly everyMs: number;
  readonly quiet: readonly QuietHours[];
  /** Questions of less risk are not told. */
  readonly atLeast: Severity;
  /** Whether a notice has the titles of questions and who asks. */
  readonly content: boolean;
}

/** Whatever a notice goes over. */
export interface NoticeWay extends NoticeTerms {
  /** The same for the same target in every process. It tells nothing of the target. */
  readonly key: string;
}

export interface Channel extends NoticeWay {
  /** The field of the configuration, for messages to the person. */
  readonly field: string;
  readonly target: ChannelTarget;
}

/** What the configuration says of paired devices that asked for notices. */
export interface PushTerms extends NoticeTerms {
  /** `host:port` of push services that are not at a public address. The person wrote them: no device can. */
  readonly services: readonly string[];
}

/** What a browser on a device gives to whoever may send it notices. */
export interface PushSubscriber {
  readonly endpoint: string;
  /** A point of P-256 and 16 bytes, in base64url. Only the browser can read what is encrypted with them. */
  readonly publicKey: string;
  readonly secret: string;
}

export interface PushChannel extends NoticeWay {
  readonly device: string;
  readonly subscriber: PushSubscriber;
}
