// Checks every request before anything else reads it, and adds headers to every response.
// Invariant: no page of another site can request, embed or read anything. The server uses what a browser says about the origin
// of a request only to refuse it.

import type { Context, MiddlewareHandler } from "hono";
import { limits } from "../shared/limits.ts";
import type { Door } from "./door.ts";
import { tooLong } from "./read-body.ts";
import { refuse } from "./refuse.ts";

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const always: readonly (readonly [name: string, value: string])[] = [
  ["Content-Security-Policy", contentSecurityPolicy],
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["X-Frame-Options", "DENY"],
];

export const secureHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of always) c.res.headers.set(name, value);
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
};

const safeMethods = ["GET", "HEAD"];
const isSafe = (c: Context) => safeMethods.includes(c.req.method);

/**
 * SECURITY(T33, T110): the request must use a name of this door, and must not come from a page of another site. `isOfDevice` says
 * which requests of another origin may pass; all other checks are for them as well.
 */
export function ownOriginOnly({ hosts, scheme }: Door, isOfDevice: (c: Context) => boolean): MiddlewareHandler {
  return async (c, next) => {
    const host = c.req.header("host");
    if (host === undefined || !hosts().includes(host))
      return refuse(c, 403, "forbidden", "This server has another name.", `Open ${scheme}://${hosts()[0]}/ instead.`);
    const origin = c.req.header("origin");
    if (origin !== undefined && origin !== `${scheme}://${host}` && !isOfDevice(c))
      return refuse(c, 403, "forbidden", "The request comes from another site's page.");
    const site = c.req.header("sec-fetch-site");
    if (site !== undefined && site !== "same-origin" && site !== "none" && !isNavigation(c))
      return refuse(c, 403, "forbidden", "The request comes from another site's page.");
    return await next();
  };
}

/** A link to the page that was followed on another site. It gets the empty page, which knows nothing. */
function isNavigation(c: Context): boolean {
  return (
    c.req.method === "GET" &&
    c.req.path === "/" &&
    c.req.header("sec-fetch-mode") === "navigate" &&
    c.req.header("sec-fetch-dest") === "document"
  );
}

/** A request that changes something must name its origin, which was checked before, and be short JSON. */
export const unsafeOnlyWithOrigin: MiddlewareHandler = async (c, next) => {
  if (isSafe(c)) return await next();
  // SECURITY(T33): a browser names the page that such a request comes from. One without an origin comes neither from the gate's
  // page nor from a paired device.
  if (c.req.header("origin") === undefined) return refuse(c, 403, "forbidden", "The request does not say its origin.");
  const type = (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (c.req.method === "POST" && type !== "application/json")
    return refuse(c, 415, "unsupported", "The request is not application/json.");
  // A body without a stated length is measured while it is read.
  return Number(c.req.header("content-length") ?? 0) > limits.pageBodyBytes ? tooLong(c) : await next();
};
