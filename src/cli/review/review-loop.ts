// The open `review`: draws its screens, passes keys to them, and follows the queue until the person leaves.

import { setTimeout as sleep } from "node:timers/promises";
import type { AnswerService } from "../../runtime/answer-service.ts";
import { openKeys } from "../terminal/keys.ts";
import { openPainter } from "../terminal/painter.ts";
import { type ReviewContext, ReviewScreens } from "./review-screens.ts";

export async function reviewLoop(context: ReviewContext): Promise<void> {
  const { queue } = context.answerService;
  const watcher = await queue.watch("review");
  const keys = openKeys(process.stdin, process.stdout);
  const painter = openPainter(process.stdout, context.isDumb);
  const done = new AbortController();
  const signal = AbortSignal.any([context.signal, done.signal]);
  const review = new ReviewScreens(context, keys, painter, signal);
  const resized = () => review.draw();
  process.stdout.on("resize", resized);
  const following = Promise.all([
    follow(context.answerService, signal, () => review.refresh()),
    followChanges(context.changes, signal, () => review.refresh()),
    followOutcomes(context.outcomes, signal, (text) => review.tell(text)),
  ]);
  try {
    if (context.first !== null) await review.open(context.first);
    await review.refresh();
    for (let isOpen = true; isOpen;) {
      const key = await keys.next(signal);
      isOpen = key !== null && key !== "ctrl-c" && key !== "ctrl-d" && (await review.press(key));
    }
  } finally {
    done.abort();
    process.stdout.off("resize", resized);
    painter.close();
    keys.close();
    await watcher.leave();
    await following;
  }
}

const POLL_MS = 300;

/** `tell` is false while the person does something else. What is known is then told later. */
async function followOutcomes(
  outcomes: ReviewContext["outcomes"],
  signal: AbortSignal,
  tell: (text: string) => boolean,
): Promise<void> {
  for (let untold: readonly string[] = []; !signal.aborted;) {
    untold = [...untold, ...(await outcomes.news())];
    if (untold.length > 0 && tell(untold.join("  "))) untold = [];
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined); // aborted
  }
}

/** What sessions have not landed is looked up in the background. */
async function followChanges(
  changes: ReviewContext["changes"],
  signal: AbortSignal,
  refresh: () => Promise<void>,
): Promise<void> {
  if (changes === null) return;
  const { backend, watch } = changes;
  for (let version = watch.version; !signal.aborted;) {
    watch.poll(backend.journal.lastSeq());
    if (watch.version !== version) {
      ({ version } = watch);
      await refresh();
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined); // aborted
  }
}

async function follow({ queue }: AnswerService, signal: AbortSignal, refresh: () => Promise<void>): Promise<void> {
  for (let version = await queue.version(); !signal.aborted;) {
    await queue.changed(version, signal);
    if (signal.aborted) return;
    version = await queue.version();
    await refresh();
  }
}
