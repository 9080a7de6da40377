// Pairs devices, lists them and revokes them.

import { type Handler, Hono } from "hono";
import { z } from "zod";
import { revokeDevice } from "../runtime/revoke-device.ts";
import { allowances, deviceKinds } from "../store/device-kind.ts";
import type { Device } from "../store/devices.ts";
import { limitText } from "./allowance.ts";
import { howToPair, pageOnly } from "./access.ts";
import type {
  ClaimRequest,
  DeviceRow,
  DevicesView,
  OwnView,
  PairAsked,
  PairingAnswer,
  PairingCode,
  PairOutcome,
  PairRequest,
} from "./api-devices.ts";
import { addressOf, type Door } from "./door.ts";
import type { PageContext } from "./page-context.ts";
import type { Pairing } from "./pairing.ts";
import { isoTime } from "./question-view.ts";
import { readBody } from "./read-body.ts";
import { refuse, refuseNotFound } from "./refuse.ts";
import { createWrongGuesses } from "./wrong-guesses.ts";

const name = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._()-]{0,39}$/u, "takes at most 40 letters, digits, spaces and . _ ( ) -");

const pairRequest: z.ZodType<PairRequest> = z.strictObject({
  code: z.string().max(40),
  name,
  kind: z.enum(deviceKinds),
});
const claimRequest: z.ZodType<ClaimRequest> = z.strictObject({ claim: z.string().max(200) });
const pairingAnswer: z.ZodType<PairingAnswer> = z.discriminatedUnion("decision", [
  z.strictObject({ id: z.string().max(40), decision: z.literal("allow"), may: z.enum(allowances) }),
  z.strictObject({ id: z.string().max(40), decision: z.literal("deny") }),
]);

/** For devices that have no token yet. */
export function pairRoutes(pairing: Pairing, door: Door): Hono {
  const routes = new Hono();
  const wrong = createWrongGuesses();
  routes.post("/pair", async (c) => {
    const body = await readBody(c, pairRequest);
    if (body instanceof Response) return body;
    const origin = c.req.header("origin") ?? "";
    // What comes from this page's own origin is a browser that shows it, and on loopback a link opens it.
    const isBrowser = origin.startsWith(`${door.scheme}://`);
    if (isBrowser !== (body.kind === "browser") || (isBrowser && !door.isOuter))
      return refuse(c, 403, "forbidden", "Such a device cannot be paired at this address.", howToPair);
    const asked = pairing.ask(body.code, { name: body.name, kind: body.kind, origin, address: addressOf(c) });
    // SECURITY(T110): guesses come from a network here.
    if (asked === null && !(await wrong()))
      return refuse(c, 429, "too_many", "Too many wrong codes at once.", howToPair);
    if (asked === null)
      return refuse(c, 401, "unauthorized", "This code is wrong, was used, or is older than two minutes.", howToPair);
    return c.json<PairAsked>(asked);
  });
  routes.post("/pair/claim", async (c) => {
    const body = await readBody(c, claimRequest);
    if (body instanceof Response) return body;
    return c.json<PairOutcome>(pairing.pickUp(body.claim));
  });
  return routes;
}

/** What the page or device that asks may do. */
export const ownRoute: Handler = (c) => {
  const { device } = c.get("asker");
  const may = device?.allowance ?? "all";
  return c.json<OwnView>({
    device: device === null ? null : { id: device.id, name: device.name },
    may,
    ...(may === "all" ? {} : { limit: limitText(may) }),
  });
};

/** `addresses`: where another device's browser finds the page. */
export function deviceRoutes(
  { devices, journal }: PageContext,
  pairing: Pairing,
  addresses: () => readonly string[],
): Hono {
  const routes = new Hono();
  routes.get("/", (c) =>
    c.json<DevicesView>({
      devices: devices.list().map(deviceRow),
      pairing: pairing.view(),
      own: c.get("asker").device?.id ?? null,
      addresses: addresses(),
    }),
  );
  routes.post("/code", pageOnly, async (c) => {
    const body = await readBody(c, z.strictObject({}));
    if (body instanceof Response) return body;
    return c.json<PairingCode>(pairing.newCode());
  });
  routes.post("/answer", pageOnly, async (c) => {
    const body = await readBody(c, pairingAnswer);
    if (body instanceof Response) return body;
    const may = body.decision === "allow" ? body.may : null;
    if (pairing.answer(body.id, may, c.get("asker").who)) return c.json({});
    return refuse(c, 409, "conflict", "This device does not ask any more.", howToPair);
  });
  routes.delete("/:id", async (c, next) => {
    const { device, who } = c.get("asker");
    const id = c.req.param("id");
    if (device !== null && device.id !== id) return await pageOnly(c, next);
    return revokeDevice(id, who, journal, devices)
      ? c.body(null, 204)
      : refuseNotFound(c, "This device", "It was revoked meanwhile.");
  });
  return routes;
}

function deviceRow({ id, name, kind, allowance, origin, address, pairedAt, seenAt }: Device): DeviceRow {
  return { id, name, kind, allowance, origin, address, paired: isoTime(pairedAt), seen: isoTime(seenAt) };
}
