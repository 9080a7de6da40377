// Serves what sessions have not landed, and discards it or takes it back as a person says.
// Invariant: what is decided about is what was shown. If the session has changed it since, the page is told so and shows it again.

import { Hono } from "hono";
import { z } from "zod";
import type { ChangesWatch } from "../runtime/changes-watch.ts";
import { discardSession, listDiscardedSessions, restoreSession } from "../runtime/discard-session.ts";
import { knownPlace, sessionMessage } from "../runtime/land-on-branch.ts";
import { type ListedSession, listSessions } from "../runtime/listed-session.ts";
import { sessionBranch } from "../runtime/session.ts";
import { isOfSession, SessionHosts } from "../runtime/session-hosts.ts";
import { changesOf, listedDiff, seeChanges } from "../runtime/session-changes.ts";
import { shownDiff } from "../runtime/session-diff.ts";
import { KEPT_MS } from "../sandbox/discarded-drafts.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { ChangesView, DiscardRequest, SessionNow, UnlandedView } from "./api-changes.ts";
import { changeRoutes, type ReviewedChange } from "./change-routes.ts";
import { fileViews } from "./file-views.ts";
import { bytesOfPairs } from "./landings.ts";
import type { PageContext } from "./page-context.ts";
import { isoTime, questionRow } from "./question-view.ts";
import { readBody } from "./read-body.ts";
import { refuseFailure, refuseNotFound } from "./refuse.ts";

/** The last ones that pages have opened: a page requests their files one by one. */
const CHANGES_KEPT = 3;

const discardRequest: z.ZodType<DiscardRequest> = z.strictObject({ digest: z.string().max(200).nullable() });

export function unlandedRoutes(context: PageContext, changes: ChangesWatch): Hono {
  const { answerService, backend } = context;
  const { stateDirectory } = backend.config;
  const kept = new Map<string, ReviewedChange>();
  const hosts = new SessionHosts(context.store.record);
  const routes = new Hono();
  routes.get("/changes", (c) => {
    const { sessions, more } = changes.list();
    const discarded = listDiscardedSessions(stateDirectory).toReversed();
    return c.json<UnlandedView>({
      sessions,
      more,
      isComplete: changes.isComplete,
      discarded: discarded.map(({ name, session, agent, project, discardedAt }) => ({
        name,
        session,
        agent,
        project,
        discarded: isoTime(discardedAt),
        keptUntil: isoTime(discardedAt + KEPT_MS),
      })),
    });
  });
  routes.get("/changes/:name", async (c) => {
    const listed = sessionNamed(stateDirectory, c.req.param("name"));
    if (listed === undefined) return noSession(c);
    const looked = await changes.inTurn(() => lookAt(context, listed));
    if (!looked.ok) return refuseFailure(c, looked.failure);
    const { view, change } = looked.value;
    const key = `${view.draft}@${view.digest}`;
    kept.delete(key);
    kept.set(key, change);
    for (const oldest of kept.keys()) if (kept.size > CHANGES_KEPT) kept.delete(oldest);
    return c.json<ChangesView>(view);
  });
  routes.get("/changes/:name/now", async (c) => {
    const listed = sessionNamed(stateDirectory, c.req.param("name"));
    if (listed === undefined) return noSession(c);
    const waiting = (await answerService.listAndWithdrawEnded()).filter((one) => isOfSession(one, listed));
    return c.json<SessionNow>({ hosts: await hosts.of(listed), questions: waiting.map(questionRow) });
  });
  routes.post("/changes/:name/discard", async (c) => {
    const body = await readBody(c, discardRequest);
    if (body instanceof Response) return body;
    const listed = sessionNamed(stateDirectory, c.req.param("name"));
    if (listed === undefined) return noSession(c);
    const { who } = c.get("asker");
    // In one turn: a look runs git in the draft, and a draft in which a program runs is not discarded.
    const discarded = await changes.inTurn(async () => {
      const now = await changesOf(backend, listed);
      return (now?.digest ?? null) === body.digest
        ? discardSession(backend, listed, { who, files: now?.files ?? null })
        : fail("changed", "The session has changed something since you looked.", { hint: "Look at it again." });
    });
    await changes.refresh();
    if (!discarded.ok) return refuseFailure(c, discarded.failure);
    return c.json({ keptUntil: isoTime(discarded.value.keptUntil) });
  });
  routes.post("/discarded/:name/restore", async (c) => {
    const body = await readBody(c, z.strictObject({}));
    if (body instanceof Response) return body;
    const found = listDiscardedSessions(stateDirectory).findLast(({ name }) => name === c.req.param("name"));
    if (found === undefined)
      return refuseNotFound(c, "This session", "It was taken back meanwhile, or its day is over.");
    const restored = await changes.inTurn(() => restoreSession(backend, found, c.get("asker").who));
    await changes.refresh();
    return restored.ok ? c.json({}) : refuseFailure(c, restored.failure);
  });
  return routes.route(
    "/changes",
    changeRoutes((id) => Promise.resolve(kept.get(id))),
  );
}

export function sessionNamed(stateDirectory: string, name: string): ListedSession | undefined {
  return listSessions(stateDirectory).find((one) => one.name === name);
}

export function noSession(c: Parameters<typeof refuseNotFound>[0]): Response {
  return refuseNotFound(c, "This session", "It was discarded, or began anew.");
}

interface Looked {
  readonly view: ChangesView;
  readonly change: ReviewedChange;
}

async function lookAt({ backend }: PageContext, listed: ListedSession): Promise<Result<Looked>> {
  const seen = await seeChanges(backend, listed);
  if (!seen.ok) return seen;
  const { row, pairs, made } = seen.value;
  if (pairs.length === 0) return fail("not_found", "Nothing of this session is left to land.");
  const { diff, warnings } = await shownDiff(pairs, listedDiff);
  const view: ChangesView = {
    ...row,
    view: fileViews(diff),
    warnings,
    made: made?.newest ?? [],
    place: knownPlace(backend, listed),
    branch: sessionBranch(listed.session),
    message: sessionMessage(listed.session),
  };
  return ok({ view, change: { files: diff, bytes: bytesOfPairs(pairs) } });
}
