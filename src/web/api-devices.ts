// The messages about paired devices: types only, shared by the page, the extension and the server.
// Invariant: the code is in no answer but the one to the page that asked for it.

import type { Allowance, DeviceKind } from "../store/device-kind.ts";

/** `GET /api/devices`. */
export interface DevicesView {
  /** The newest first. */
  readonly devices: readonly DeviceRow[];
  readonly pairing: PairingView | null;
  /** The id of the device that asks; null for a page that entered by a link, which alone can pair and revoke others. */
  readonly own: string | null;
  /** Where another device's browser finds this page. Empty if it is for this machine only. */
  readonly addresses: readonly string[];
}

/** `GET /api/own`: what the page or device that asks may do. */
export interface OwnView {
  /** Null for a page that entered by a link. */
  readonly device: { readonly id: string; readonly name: string } | null;
  readonly may: Allowance;
  /** What it may not do, and where that is done; absent if it may do everything. */
  readonly limit?: string;
}

/** `DELETE /api/devices/:id` revokes it. */
export interface DeviceRow {
  readonly id: string;
  /** As the device calls itself. */
  readonly name: string;
  readonly kind: DeviceKind;
  readonly allowance: Allowance;
  readonly origin: string;
  /** Where its last request came from. */
  readonly address: string | null;
  /** ISO times. */
  readonly paired: string;
  readonly seen: string;
}

export type PairingView =
  | { readonly state: "code"; readonly expires: string; readonly triesLeft: number }
  | {
      readonly state: "asks";
      readonly id: string;
      readonly name: string;
      readonly kind: DeviceKind;
      readonly address: string | null;
      readonly check: string;
      readonly expires: string;
    }
  | { readonly state: "confirmed"; readonly name: string }
  | { readonly state: "ended"; readonly why: string };

/** `POST /api/devices/code`, from a page: a code for one device. An older one ends. */
export interface PairingCode {
  readonly code: string;
  readonly expires: string;
}

/** `POST /api/devices/answer`, from a page: whether the device that asks is let in, and what it may do. */
export type PairingAnswer =
  | { readonly id: string; readonly decision: "allow"; readonly may: Allowance }
  | { readonly id: string; readonly decision: "deny" };

/** `POST /api/pair`, from a device that has no token yet. A browser can pair only where it shows the page for other devices. */
export interface PairRequest {
  /** Case, spaces and dashes do not matter. */
  readonly code: string;
  readonly name: string;
  readonly kind: DeviceKind;
}

export interface PairAsked {
  /** A secret of this device, for `POST /api/pair/claim`. */
  readonly claim: string;
  /** The page shows the same number, so that the person confirms this device and no other. */
  readonly check: string;
  readonly expires: string;
}

/** `POST /api/pair/claim`: the device asks until the person has answered. It gets the token once. */
export interface ClaimRequest {
  readonly claim: string;
}

export type PairOutcome =
  | { readonly state: "asks" }
  | { readonly state: "paired"; readonly id: string; readonly token: string }
  | { readonly state: "ended"; readonly why: string };

/** `GET /api/push`, for a paired browser: whether it is told of questions while its page is closed. */
export interface PushView {
  /** What the browser needs to subscribe. */
  readonly publicKey: string;
  /** Where its browser's push service takes notices for it; null if it is not told. */
  readonly endpoint: string | null;
}

/** `POST /api/push`, in place of what was there; `DELETE /api/push` ends it. As `PushSubscription.toJSON` has it. */
export interface SubscribeRequest {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}
