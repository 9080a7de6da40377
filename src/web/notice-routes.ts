// Says to one page of all that are open that it shows a notice on the desktop.
// Invariant: a question is told on the desktop once, however many pages and servers there are on one store.

import { Hono } from "hono";
import { z } from "zod";
import type { QueuedQuestion, QuestionQueue } from "../approval/shared-store.ts";
import { mostSevere } from "../approval/severity.ts";
import type { NoticeRequest, NoticeView } from "./api-notices.ts";
import { readBody } from "./read-body.ts";

const noticeRequest: z.ZodType<NoticeRequest> = z.strictObject({ isLookedAt: z.boolean() });

/** All pages are one channel. */
const CHANNEL = "page";
const nothing: NoticeView = { count: 0, severity: "low", question: null };

export function noticeRoutes(queue: () => QuestionQueue): Hono {
  return new Hono().post("/notices", async (c) => {
    const body = await readBody(c, noticeRequest);
    if (body instanceof Response) return body;
    return c.json<NoticeView>(await claimNotice(queue(), body.isLookedAt));
  });
}

async function claimNotice(queue: QuestionQueue, isLookedAt: boolean): Promise<NoticeView> {
  const { notices } = queue;
  const waiting = await queue.waiting();
  // Without a claim most requests change nothing in the store.
  if (untold(waiting, (await notices.stateOf(CHANNEL)).told).length === 0) return nothing;
  const claim = await notices.claim(CHANNEL);
  if (claim === null) return nothing;
  const told = untold(waiting, claim.told);
  const name = isLookedAt ? "the page" : "a notification on the desktop";
  const isNoted = await notices.finish(claim, {
    questions: told.map(({ question }) => question.id),
    name,
    problem: null,
  });
  const [first] = told;
  if (!isNoted || isLookedAt || first === undefined) return nothing;
  return {
    count: told.length,
    severity: mostSevere(told.map(({ question }) => question.severity)),
    question: told.length === 1 ? first.question.id : null,
  };
}

function untold(waiting: readonly QueuedQuestion[], told: ReadonlySet<string>): readonly QueuedQuestion[] {
  return waiting.filter(({ question }) => !told.has(question.id));
}
