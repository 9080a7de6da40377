// Tells the person that questions wait, by the channels that it gets.
// Invariant: of all processes on one store, one sends a notice. A process that is killed before it could say that it sent one is
// replaced by another, so that a notice may come twice, and is never lost while a process is there.

import type { Severity } from "../approval/approver.ts";
import type { ChannelClaim } from "../approval/notices.ts";
import { leastSeverity } from "../approval/severity.ts";
import type { Presence, QuestionQueue } from "../approval/shared-store.ts";
import type { NoticeWay } from "../notify/channel.ts";
import { type DueNotice, dueNotice } from "../notify/due-notice.ts";
import { composeNotice, type Notice } from "../notify/notice.ts";
import { firstLoudTime } from "../notify/quiet-hours.ts";
import type { NoticeSending, SendEnd } from "../notify/send-notice.ts";
import { nodeHashes } from "../process/node-hashes.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import { limits } from "../shared/limits.ts";
import { recordedTitle } from "./recorded-title.ts";

export interface Notifier {
  /** From now on this process sends what is due, until it is closed. */
  start(): void;
  /** Waits a moment for a notice that is being sent. */
  close(): Promise<void>;
}

export interface NotifierContext<Way extends NoticeWay> {
  /** A function where they come and go. */
  readonly channels: readonly Way[] | (() => readonly Way[]);
  readonly send: (channel: Way, notice: Notice, context: NoticeSending) => Promise<SendEnd>;
  /** Opens the queue. */
  readonly queue: () => QuestionQueue;
  readonly environment: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

/** A new question is found this soon. A timer that keeps no process alive. */
const LOOK_MS = 500;
const CLOSING_MS = 2_000;

export function createNotifier<Way extends NoticeWay>({
  channels: given,
  send: sendNotice,
  queue: openQueue,
  environment,
  clock = systemClock,
}: NotifierContext<Way>): Notifier {
  const isNone = typeof given !== "function" && given.length === 0;
  const current = typeof given === "function" ? given : () => given;
  const closing = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  let presence: Promise<Presence> | null = null;
  let watchedFrom: Severity | null = null;
  let working: Promise<void> | null = null;
  let seen = { version: "", until: 0 };

  /** Sends what is due, and returns when to look again without a change. */
  const look = async (queue: QuestionQueue, channels: readonly Way[]): Promise<number> => {
    const waiting = await queue.waiting();
    // A server that does not answer holds nobody else up.
    const times = channels.map(async (channel) => {
      const known = dueNotice(waiting, channel, await queue.notices.stateOf(channel.key), clock.now());
      const due = known.kind === "now" ? await claimAndSend(queue, channel) : known;
      return due.kind === "later" ? due.at : Infinity;
    });
    return Math.min(...(await Promise.all(times)));
  };

  const claimAndSend = async (queue: QuestionQueue, channel: Way): Promise<DueNotice> => {
    const claim = await queue.notices.claim(channel.key);
    // Somebody else sends. If they fail, or are killed, this process finds it then.
    if (claim === null) return { kind: "later", at: clock.now() + LOOK_MS };
    const due = dueNotice(await queue.waiting(), channel, claim, clock.now());
    if (due.kind === "now" && !closing.signal.aborted) await send(queue, channel, claim, due.questions);
    else await queue.notices.release(claim);
    return due;
  };

  const send = async (
    queue: QuestionQueue,
    channel: Way,
    claim: ChannelClaim,
    questions: Extract<DueNotice, { kind: "now" }>["questions"],
  ): Promise<void> => {
    const [page = null] = await queue.pages();
    const notice = composeNotice(questions, channel, {
      page,
      titleOf: recordedTitle,
      hash: (text) => nodeHashes.hex("sha256", text),
      now: clock.now(),
    });
    const end = await sendNotice(channel, notice, { environment, now: () => clock.now(), signal: closing.signal });
    const { name } = channel;
    const told = { questions: questions.map(({ question }) => question.id), name };
    if (end.kind === "sent") await queue.notices.finish(claim, { ...told, problem: null });
    else if (closing.signal.aborted) await queue.notices.release(claim);
    else if (end.isFinal || claim.failures + 1 >= limits.noticeTries)
      await queue.notices.finish(claim, { ...told, problem: end.problem });
    else await queue.notices.retryAt(claim, clock.now() + limits.noticeRetryS * 1_000 * 2 ** claim.failures);
  };

  /** While somebody can be told, calls wait for an answer as if somebody watched. */
  const watchIfLoud = async (queue: QuestionQueue, channels: readonly Way[]): Promise<void> => {
    const now = clock.now();
    const [first, ...others] = channels.filter(({ quiet }) => firstLoudTime(quiet, now) <= now);
    const least = first === undefined ? null : leastSeverity([first.atLeast, ...others.map(({ atLeast }) => atLeast)]);
    if (least === watchedFrom) return;
    watchedFrom = least;
    const [before, next] = [presence, least === null ? null : queue.watch("notifier", undefined, least)];
    presence = next;
    await (await before)?.leave();
    await next;
  };

  const lookIfChanged = async (): Promise<void> => {
    try {
      const queue = openQueue();
      const channels = current();
      await watchIfLoud(queue, channels);
      const version = [await queue.version(), ...channels.map(({ key }) => key)].join(" ");
      if (version === seen.version && clock.now() < seen.until) return;
      seen = { version, until: await look(queue, channels) };
    } catch {
      seen = { version: "", until: 0 }; // a busy store is looked into again
    }
  };

  const again = (): void => {
    if (closing.signal.aborted) return;
    timer = setTimeout(() => {
      working = lookIfChanged().finally(again);
    }, LOOK_MS).unref();
  };

  return {
    start() {
      if (isNone || timer !== null || closing.signal.aborted) return;
      // The first part of it has no wait, so that who asks next finds that somebody can be told.
      void watchIfLoud(openQueue(), current()).catch(() => undefined);
      again();
    },
    async close() {
      if (closing.signal.aborted) return;
      clearTimeout(timer ?? undefined);
      const late = setTimeout(() => closing.abort(), CLOSING_MS);
      try {
        const ending = working;
        timer = null;
        await ending;
      } finally {
        clearTimeout(late);
        closing.abort();
        clearTimeout(timer ?? undefined);
      }
      await (await presence?.catch(() => null))?.leave();
    },
  };
}
