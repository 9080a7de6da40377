// Lands what a session has changed, in two steps: the server prepares exactly what would land and shows it, and a person then answers.

import { Hono } from "hono";
import { z } from "zod";
import { type ShownLanding, beginBranch, beginHere } from "../runtime/begin-landing.ts";
import type { ChangesWatch } from "../runtime/changes-watch.ts";
import { knownPlace, sessionMessage } from "../runtime/land-on-branch.ts";
import type { ListedSession } from "../runtime/listed-session.ts";
import { sessionBranch } from "../runtime/session.ts";
import type { Result } from "../shared/result.ts";
import type { LandingAnswer, LandingView, LandRequest } from "./api-changes.ts";
import { changeRoutes } from "./change-routes.ts";
import type { Landings, SeenConflict } from "./landings.ts";
import type { PageContext } from "./page-context.ts";
import { readBody } from "./read-body.ts";
import { refuse, refuseFailure, refuseNotFound } from "./refuse.ts";
import { noSession, sessionNamed } from "./unlanded-routes.ts";

const landRequest: z.ZodType<LandRequest> = z.strictObject({
  digest: z.string().max(200),
  how: z.enum(["commit", "series", "here"]),
  branch: z.string().min(1).max(250).optional(),
  message: z.string().min(1).max(20_000).optional(),
});

const landingAnswer: z.ZodType<LandingAnswer> = z.strictObject({
  decision: z.enum(["allow", "deny"]),
  digest: z.string().max(200),
});

export function landingRoutes(context: PageContext, changes: ChangesWatch, landings: Landings): Hono {
  const { stateDirectory } = context.backend.config;
  const routes = new Hono();
  routes.post("/changes/:name/land", async (c) => {
    const body = await readBody(c, landRequest);
    if (body instanceof Response) return body;
    const listed = sessionNamed(stateDirectory, c.req.param("name"));
    if (listed === undefined) return noSession(c);
    const seen: SeenConflict = { conflict: null };
    const begun = await changes.inTurn(() => begin(context, listed, body, c.get("asker").who, seen));
    if (!begun.ok) return refuseFailure(c, begun.failure, seen.conflict);
    return c.json<LandingView>(await landings.add(begun.value, listed, seen));
  });
  routes.get("/landings/:id", (c) => {
    const view = landings.view(c.req.param("id"));
    return view === undefined ? noLanding(c) : c.json<LandingView>(view);
  });
  routes.post("/landings/:id/answer", async (c) => {
    const body = await readBody(c, landingAnswer);
    if (body instanceof Response) return body;
    const id = c.req.param("id");
    const view = landings.view(id);
    if (view === undefined) return noLanding(c);
    // SECURITY(T29): only what was shown can be answered.
    if (body.digest !== view.digest)
      return refuse(c, 409, "changed", "The answer is for something else than this.", "Look at it again.");
    const ended = await landings.answer(id, body.decision === "allow");
    if (ended === undefined) return refuse(c, 409, "conflict", "It was answered meanwhile.");
    await changes.refresh();
    return c.json<LandingView>(ended);
  });
  return routes.route(
    "/landings",
    changeRoutes((id) => Promise.resolve(landings.change(id))),
  );
}

async function begin(
  { backend, configFor }: PageContext,
  listed: ListedSession,
  { digest, how, branch, message }: LandRequest,
  who: string,
  seen: SeenConflict,
): Promise<Result<ShownLanding>> {
  if (how === "here") return await beginHere(backend, listed, { digest, who });
  const place = knownPlace(backend, listed) ?? backend.config.project;
  const config = configFor(place, listed.project === null ? "memory" : "draft");
  if (!config.ok) return config;
  return await beginBranch({ ...backend, config: config.value }, listed, {
    digest,
    who,
    branch: branch ?? sessionBranch(listed.session),
    message: how === "series" ? null : (message ?? sessionMessage(listed.session)),
    onConflict: (conflict) => (seen.conflict = conflict),
  });
}

function noLanding(c: Parameters<typeof refuseNotFound>[0]): Response {
  return refuseNotFound(
    c,
    "This landing",
    "Too much time has passed, or the server was started anew. Nothing has landed.",
  );
}
