// A channel: one way by which the gate tells a person that questions wait, as the configuration has it.

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

export interface Channel {
  /** The same for the same target in every process. It tells nothing of the target. */
  readonly key: string;
  /** How replies to agents name it. */
  readonly name: string;
  /** The field of the configuration, for messages to the person. */
  readonly field: string;
  readonly target: ChannelTarget;
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
