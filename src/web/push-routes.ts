// Switches the notices to one paired device on and off, for that device.
// Invariant: a device changes its own subscription alone, and has one at most.

import { type Context, Hono } from "hono";
import { z } from "zod";
import type { PushSubscriber } from "../notify/channel.ts";
import { isPushSubscriber } from "../notify/encrypt-push.ts";
import { pushEndpointProblem } from "../runtime/push-notifier.ts";
import type { PushView, SubscribeRequest } from "./api-devices.ts";
import type { PageContext } from "./page-context.ts";
import { readBody } from "./read-body.ts";
import { refuse } from "./refuse.ts";

const subscribeRequest: z.ZodType<SubscribeRequest> = z.strictObject({
  endpoint: z.string().max(2_000),
  keys: z.strictObject({
    p256dh: z.string().regex(/^[\w-]{1,200}=*$/),
    auth: z.string().regex(/^[\w-]{1,200}=*$/),
  }),
});

export function pushRoutes({ devices, push }: PageContext): Hono {
  const deviceOf = (c: Context) => {
    const { device } = c.get("asker");
    return device?.kind === "browser" && push !== undefined ? { id: device.id, push } : null;
  };
  const noDevice = (c: Context) =>
    refuse(c, 403, "forbidden", "Only a paired browser is told this way.", "Pair it, and open the page there.");
  return new Hono()
    .get("/push", (c) => {
      const own = deviceOf(c);
      if (own === null) return noDevice(c);
      const { publicKey } = own.push;
      const found = devices.subscribed().find(({ id }) => id === own.id);
      return c.json<PushView>({ publicKey, endpoint: found?.subscriber.endpoint ?? null });
    })
    .post("/push", async (c) => {
      const own = deviceOf(c);
      if (own === null) return noDevice(c);
      const body = await readBody(c, subscribeRequest);
      if (body instanceof Response) return body;
      const problem = pushEndpointProblem(body.endpoint, own.push.terms);
      if (problem !== null) return refuse(c, 400, "invalid_args", `endpoint: no notices are sent there. ${problem}`);
      const { endpoint, keys } = body;
      const subscriber: PushSubscriber = { endpoint, publicKey: keys.p256dh, secret: keys.auth };
      if (!isPushSubscriber(subscriber))
        return refuse(c, 400, "invalid_args", "keys: these are not the keys of a browser's subscription.");
      devices.subscribe(own.id, subscriber);
      return c.json({});
    })
    .delete("/push", (c) => {
      const own = deviceOf(c);
      if (own === null) return noDevice(c);
      devices.unsubscribe(own.id);
      return c.body(null, 204);
    });
}
