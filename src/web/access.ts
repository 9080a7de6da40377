// Who may use the API: a page that has entered by a link, or a device that a person has paired.
// Invariant: what a request says of its origin is only used to refuse it. A token lets it in.

import type { Context, MiddlewareHandler } from "hono";
import type { Devices } from "../store/devices.ts";
import type { Asker } from "./asker.ts";
import { howToEnter } from "./entrance.ts";
import { refuse } from "./refuse.ts";
import type { Tokens } from "./tokens.ts";

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

/** SECURITY(T33): a program that can merely reach the port has no token. `person`: whose page and devices these are. */
export function withTokenOnly(tokens: Tokens, devices: Devices, person: string): MiddlewareHandler {
  return async (c, next) => {
    const token = tokenOf(c);
    const asker = token === undefined ? null : askerWith(token, c.req.header("origin"));
    if (asker === null)
      return refuse(c, 401, "unauthorized", "This page has not entered, or the server was started anew.", howToEnter);
    c.set("asker", asker);
    return await next();
  };

  function askerWith(token: string, origin: string | undefined): Asker | null {
    if (tokens.isPage(token)) return { who: `${person} at the web page`, device: null };
    const device = devices.withToken(token);
    // SECURITY(T82): the token of a device is for its own origin. A browser sends none with a GET.
    if (device === undefined || (origin !== undefined && origin !== device.origin)) return null;
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
