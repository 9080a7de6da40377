// Pairs devices, lists them and revokes them.

import { Hono } from "hono";
import { z } from "zod";
import { revokeDevice } from "../runtime/revoke-device.ts";
import { type Device, deviceKinds } from "../store/devices.ts";
import { pageOnly } from "./access.ts";
import type {
  ClaimRequest,
  DeviceRow,
  DevicesView,
  PairAsked,
  PairingAnswer,
  PairingCode,
  PairOutcome,
  PairRequest,
} from "./api-devices.ts";
import type { PageContext } from "./page-context.ts";
import type { Pairing } from "./pairing.ts";
import { isoTime } from "./question-view.ts";
import { readBody } from "./read-body.ts";
import { refuse, refuseNotFound } from "./refuse.ts";

const name = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._()-]{0,39}$/u, "takes at most 40 letters, digits, spaces and . _ ( ) -");

const pairRequest: z.ZodType<PairRequest> = z.strictObject({
  code: z.string().max(40),
  name,
  kind: z.enum(deviceKinds),
});
const claimRequest: z.ZodType<ClaimRequest> = z.strictObject({ claim: z.string().max(200) });
const pairingAnswer: z.ZodType<PairingAnswer> = z.strictObject({
  id: z.string().max(40),
  decision: z.enum(["allow", "deny"]),
});

const howToPair = "Make a new code on the page of `sallyport serve`, under Machine.";

/** For devices that have no token yet. */
export function pairRoutes(pairing: Pairing): Hono {
  const routes = new Hono();
  routes.post("/pair", async (c) => {
    const body = await readBody(c, pairRequest);
    if (body instanceof Response) return body;
    const origin = c.req.header("origin") ?? "";
    const asked = pairing.ask(body.code, { name: body.name, kind: body.kind, allowance: "all", origin });
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

export function deviceRoutes({ devices, journal }: PageContext, pairing: Pairing): Hono {
  const routes = new Hono();
  routes.get("/", (c) =>
    c.json<DevicesView>({
      devices: devices.list().map(deviceRow),
      pairing: pairing.view(),
      own: c.get("asker").device?.id ?? null,
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
    if (pairing.answer(body.id, body.decision === "allow", c.get("asker").who)) return c.json({});
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

function deviceRow({ id, name, kind, allowance, origin, pairedAt, seenAt }: Device): DeviceRow {
  return { id, name, kind, allowance, origin, paired: isoTime(pairedAt), seen: isoTime(seenAt) };
}
