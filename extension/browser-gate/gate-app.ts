// The routes of the gate in a browser: those that it has in common with the page's server, and its own.
// Invariant: there is no token and no check of origins, because only the side panel's messages come here (messages.ts).

import { Hono } from "hono";
import { JournalFault } from "../../src/audit/journal.ts";
import type { BrowserStores } from "../../src/browser/browser-stores.ts";
import { parseSource } from "../../src/config/parse-source.ts";
import { writtenRuleSchema } from "../../src/config/rule-schema.ts";
import { compileRule, type RuleText } from "../../src/policy/rule.ts";
import { openAnswerService } from "../../src/runtime/answer-service.ts";
import { fail, ok } from "../../src/shared/result.ts";
import type { RuleReader } from "../../src/web/answer-routes.ts";
import { openLiveEvents } from "../../src/web/live.ts";
import { logRoutes } from "../../src/web/log-routes.ts";
import { queueRoutes } from "../../src/web/queue-routes.ts";
import { refuse, refuseNotFound } from "../../src/web/refuse.ts";
import { sessionRoutes } from "../../src/web/session-routes.ts";
import { projectOf } from "./draft.ts";
import type { Kept } from "./kept.ts";
import type { SignIn } from "./sign-in.ts";
import type { Work } from "./work.ts";
import { workRoutes } from "./work-routes.ts";

export interface GateAppContext {
  readonly stores: BrowserStores;
  readonly work: Work;
  readonly kept: Kept;
  readonly signIn: SignIn;
}

export function createGateApp({ stores, work, kept, signIn }: GateAppContext): Hono {
  const { journal, store, staged } = stores;
  const answerService = openAnswerService({ store, journal: () => journal, staged });
  const live = openLiveEvents(
    { answerService, staged, record: store.record },
    {
      rest: () => ({ unlanded: 0, changes: "", devices: "" }),
      isRevoked: () => false,
      more: async () => `event: work\ndata: ${JSON.stringify(await work.state())}\n\n`,
    },
  );
  const project = (): string => {
    const draft = kept.read("draft");
    return draft === null ? "/" : projectOf(draft);
  };
  const app = new Hono();
  app.onError((fault, c) =>
    fault instanceof JournalFault
      ? refuse(c, 500, "internal", fault.message, fault.hint)
      : refuse(c, 500, "internal", `The gate itself failed, so nothing was done: ${fault.message}`),
  );
  app.use(async (c, next) => {
    c.set("asker", { who: `${signIn.account?.login ?? "the person"} in the side panel`, device: null });
    await next();
    c.res.headers.set("Cache-Control", "no-store");
  });
  app.route("/api", live.routes);
  app.route("/api", queueRoutes({ answerService, staged }, editedRule));
  app.route("/api", logRoutes(store.record));
  app.route("/api", sessionRoutes({ journal, rules: store.rules, record: store.record, project }));
  app.route("/api", workRoutes({ work, kept, signIn }));
  app.get("/api/verification", async (c) => c.json(await store.record.verify()));
  app.all("*", (c) => refuseNotFound(c, "This"));
  return app;
}

/** In the syntax of the configuration, as the panel shows it. Paths are written in full. */
const editedRule: RuleReader = (line) => {
  const source = parseSource(null, line);
  const written = source.ok ? writtenRuleSchema.safeParse(source.source.value) : null;
  if (written?.success !== true)
    return fail("invalid_args", "this is not a rule", { hint: 'Write { decide: allow, effect: push, target: "…" }.' });
  const { examples: _, ...text } = written.data;
  const rule = compileRule(text as RuleText, "edited", "your answer");
  return rule.ok ? ok(rule.value.text) : rule;
};
