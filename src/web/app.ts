// The page's server: its files, its API, and the checks before both. It adds no powers: it shows what the stores and the sessions' drafts
// hold, passes answers to the answer service, and lands and discards as `sallyport changes` does.
// Invariant: without the token of a page or a paired device the server tells nothing and does nothing. Only the empty page is
// public.

import { Hono } from "hono";
import { JournalFault } from "../audit/journal.ts";
import { ChangesWatch } from "../runtime/changes-watch.ts";
import { isOfDevice, withTokenOnly } from "./access.ts";
import { withinAllowance } from "./allowance.ts";
import { deviceRoutes, ownRoute, pairRoutes } from "./device-routes.ts";
import { type Door, loopbackDoor, outerDoor } from "./door.ts";
import { entranceRoutes } from "./entrance.ts";
import { ownOriginOnly, secureHeaders, unsafeOnlyWithOrigin } from "./guard.ts";
import { openLiveEvents } from "./live.ts";
import { landingRoutes } from "./landing-routes.ts";
import { Landings } from "./landings.ts";
import { logRoutes } from "./log-routes.ts";
import { noticeRoutes } from "./notice-routes.ts";
import type { PageContext } from "./page-context.ts";
import { pageFiles } from "./page-files.ts";
import { Pairing } from "./pairing.ts";
import { pushRoutes } from "./push-routes.ts";
import { queueRoutes } from "./queue-routes.ts";
import { refuseNotFound, refuse } from "./refuse.ts";
import { sessionRoutes } from "./session-routes.ts";
import { createTokens } from "./tokens.ts";
import { typedRules } from "./typed-rule.ts";
import { unlandedRoutes } from "./unlanded-routes.ts";

export interface PageApp {
  /** For loopback. */
  readonly app: Hono;
  /** For other machines, over TLS: nothing but paired devices gets in. */
  readonly outerApp: Hono;
  /** Makes a token for one link; see `linkTo`. */
  newLink(): string;
  /** Ends the live streams of open pages, and landings that nobody has answered. */
  close(): Promise<void>;
}

/** The link that a person opens. The token comes after the #, which no browser sends anywhere. */
export function linkTo(url: string, token: string): string {
  return `${url}/#enter=${token}`;
}

export function createPageApp(context: PageContext): PageApp {
  const tokens = createTokens();
  const changes = new ChangesWatch(context.backend);
  const landings = new Landings(context.staged);
  const { devices, journal, clock, answerService, staged, onFault } = context;
  const { rules, record } = context.store;
  const pairing = new Pairing({ clock, devices, record: (entry) => void journal.append(entry, { durable: true }) });
  const live = openLiveEvents(
    { answerService, staged, record, onFault },
    {
      rest(lastSeq) {
        changes.poll(lastSeq);
        const unlanded = changes.list().sessions.length;
        pairing.view(); // ends one whose time is over
        return { unlanded, changes: changes.version, devices: devices.version() };
      },
      isRevoked: (device) => devices.find(device) === undefined,
    },
  );
  const doors = {
    loopback: loopbackDoor(context.port),
    outer: outerDoor(() => context.outer?.names ?? [], context.outer?.port ?? (() => 0)),
  };
  const api = new Hono();
  api.route("/", live.routes);
  api.route("/", queueRoutes(context, typedRules(context.directories.home)));
  api.route("/", logRoutes(record));
  api.route("/", sessionRoutes({ journal, rules, record, project: () => context.directories.project }));
  api.route(
    "/",
    noticeRoutes(() => context.store.queue),
  );
  api.get("/own", ownRoute);
  api.route("/", pushRoutes(context));
  api.route(
    "/devices",
    deviceRoutes(context, pairing, () => doors.outer.hosts().map((host) => `https://${host}`)),
  );
  api.route("/", unlandedRoutes(context, changes));
  api.route("/", landingRoutes(context, changes, landings));
  api.get("/machine", async (c) =>
    c.body(JSON.stringify(await context.machine()), 200, { "Content-Type": "application/json" }),
  );
  const behind = (door: Door): Hono => {
    const app = new Hono();
    app.onError((fault, c) => {
      context.onFault?.(fault);
      if (fault instanceof JournalFault) return refuse(c, 500, "internal", fault.message, fault.hint);
      return refuse(c, 500, "internal", "The server itself failed, so nothing was done. Its terminal says more.");
    });
    app.notFound((c) => refuseNotFound(c, "This"));
    app.use(secureHeaders, ownOriginOnly(door, isOfDevice(devices)));
    if (!door.isOuter) context.mount?.(app);
    app.use(unsafeOnlyWithOrigin);
    // SECURITY(T110): a link opens nothing on another machine.
    if (!door.isOuter) app.route("/api", entranceRoutes(tokens));
    app.route("/api", pairRoutes(pairing, door));
    app.use("/api/*", withTokenOnly({ tokens, devices, person: context.person }, door), withinAllowance);
    app.route("/api", api);
    app.all("/api/*", (c) => refuseNotFound(c, "This"));
    app.get("*", pageFiles(context.pageDirectory));
    return app;
  };
  const close = async () => {
    live.close();
    await landings.close();
    await changes.close();
  };
  return {
    app: behind(doors.loopback),
    outerApp: behind(doors.outer),
    newLink: () => tokens.newLink(),
    close,
  };
}
