// Who may use the API: a page that has entered by a link, or a device that a person has paired.
// Invariant: what a request says of its origin is only used to refuse it. A token lets it in.

import type { Context, MiddlewareHandler } from "hono";
import type { Devices } from "../store/devices.ts";
import type { Asker } from "./asker.ts";
import { addressOf, type Door } from "./door.ts";
import { howToEnter } from "./entrance.ts";
import { refuse } from "./refuse.ts";
import type { Tokens } from "./tokens.ts";

/** Where a device without a token is told to begin. */
export const howToPair =
  "Make a new code on the page of `sallyport serve`, under Machine, or with `sallyport devices add`.";

const pairingPaths = ["/api/pair", "/api/pair/claim"];

function tokenOf(c: Context): string | undefined {
  return /^Bearer ([\w-]{43})$/.exec(c.req.header("authorization") ?? "")?.[1];
}

/**
 * Whether a request of another origin is a device's: it begins to pair, or has the token of the device with this origin.
 * SECURITY(T82): any program can write such an origin, so it lets nobody in; without it the request is refused.
 */
export function isOfDevice(devices: Devices): (c: Context) => boolean {
  return (c) => {
    const origin = c.req.header("origin") ?? "";
    const { method, path } = c.req;
    if (!/^chrome-extension:\/\/[a-p]{32}$/.test(origin)) return false;
    if (pairingPaths.includes(path)) return method === "POST";
    if (!path.startsWith("/api/") || path === "/api/enter") return false;
    const token = tokenOf(c);
    return token !== undefined && devices.withToken(token)?.origin === origin;
  };
}

export interface AccessContext {
  readonly tokens: Tokens;
  readonly devices: Devices;
  /** Whose page and devices these are. */
  readonly person: string;
}

/** SECURITY(T33): a program that can merely reach the port has no token. */
export function withTokenOnly({ tokens, devices, person }: AccessContext, door: Door): MiddlewareHandler {
  return async (c, next) => {
    const token = tokenOf(c);
    const asker = token === undefined ? null : askerWith(token, c.req.header("origin"), addressOf(c));
    if (asker === null)
      return door.isOuter
        ? refuse(c, 401, "unauthorized", "This device is not paired, or it was revoked.", howToPair)
        : refuse(c, 401, "unauthorized", "This page has not entered, or the server was started anew.", howToEnter);
    c.set("asker", asker);
    c.set("isStillIn", () => token !== undefined && askerWith(token, c.req.header("origin"), null) !== null);
    return await next();
  };

  function askerWith(token: string, origin: string | undefined, address: string | null): Asker | null {
    // SECURITY(T110): what lets a page in on this machine opens nothing for another one, and the other way round.
    if (!door.isOuter && tokens.isPage(token)) return { who: `${person} at the web page`, device: null };
    const device = devices.withToken(token, address);
    if (device === undefined || (device.kind === "browser" && !door.isOuter)) return null;
    // SECURITY(T82): the token of a device is for its own origin. A browser sends none with a GET.
    if (origin !== undefined && origin !== device.origin) return null;
    return { who: `${person} at the paired device ${device.name} (${device.id})`, device };
  }
}

/** SECURITY(T81): only a person who opened a link lets other devices in. So revoking a device ends all that it began. */
export const pageOnly: MiddlewareHandler = async (c, next) => {
  if (c.get("asker").device === null) return await next();
  return refuse(
    c,
    403,
    "forbidden",
    "A paired device cannot do this.",
    "Do it on the page that `sallyport serve` opens.",
  );
};
