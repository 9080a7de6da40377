// Reports live changes to every open page: the state at once, and again after each change.
// Invariant: nothing is read while no page is open. A page that reads slowly gets the newest state, not every state.

import { type Context, Hono } from "hono";
import type { QueuedQuestion, RecordReader } from "../approval/shared-store.ts";
import type { StagedStore } from "../git/staged.ts";
import type { AnswerService } from "../runtime/answer-service.ts";
import { notAskedAbout } from "../runtime/staged-commits.ts";
import { crc32 } from "../shared/crc32.ts";
import type { LiveState } from "./api.ts";
import "./asker.ts";

export interface LiveEvents {
  readonly routes: Hono;
  close(): void;
}

const POLL_MS = 150;
/** The state is read again after this time, because questions expire without a change in the store. */
const REFRESH_MS = 2_000;
/** A regular comment distinguishes a broken connection from a quiet one. */
const STILL_HERE_MS = 15_000;

const stillHere = ": still here\n\n";

interface Reader {
  /** The paired device that reads; null for a page. */
  readonly device: string | null;
  send(text: string): void;
  end(): void;
}

export interface LiveContext {
  readonly answerService: AnswerService;
  readonly staged: StagedStore;
  readonly record: RecordReader;
  readonly onFault?: ((fault: unknown) => void) | undefined;
}

/** What differs between those who serve a page. */
export interface LiveParts {
  /** The rest of the state. Called several times a second. */
  rest(lastSeq: number): Pick<LiveState, "unlanded" | "changes" | "devices">;
  isRevoked(device: string): boolean;
  /** Another event, as text, that is sent with the state. */
  readonly more?: (() => Promise<string>) | undefined;
}

export function openLiveEvents(context: LiveContext, parts: LiveParts): LiveEvents {
  const readers = new Set<Reader>();
  let isFollowing = false;
  let sent = { text: "", at: 0 };
  const state = stateReader(context, parts);
  const { queue } = context.answerService;

  const reportState = async () => {
    const more = (await parts.more?.()) ?? "";
    const text = `event: state\ndata: ${JSON.stringify(await state())}\n\n${more}`;
    const now = performance.now();
    const isQuiet = text === sent.text;
    if (isQuiet && now - sent.at < STILL_HERE_MS) return;
    sent = { text, at: now };
    for (const reader of readers) reader.send(isQuiet ? stillHere : text);
  };
  /** A change of a question is reported at once. The record and staged commits are polled. */
  const follow = async () => {
    isFollowing = true;
    while (readers.size > 0) {
      const soon = new AbortController();
      const timer = setTimeout(() => soon.abort(), POLL_MS);
      try {
        await queue.changed(await queue.version(), soon.signal);
        endRevoked();
        if (readers.size > 0) await reportState();
      } catch (fault) {
        context.onFault?.(fault); // a busy store is read again later
        await new Promise<void>((resolve) => soon.signal.addEventListener("abort", () => resolve(), { once: true }));
      } finally {
        clearTimeout(timer);
      }
    }
    isFollowing = false;
  };

  /** SECURITY(T81): a revoked device reads nothing more. */
  const endRevoked = () => {
    for (const reader of readers) {
      if (reader.device === null || !parts.isRevoked(reader.device)) continue;
      readers.delete(reader);
      reader.end();
    }
  };

  const stream = async (c: Context) => {
    await reportState();
    let reader: Reader | null = null;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        reader = readerOf(controller, c.get("asker").device?.id ?? null);
        reader.send(sent.text);
        readers.add(reader);
        if (!isFollowing) void follow();
      },
      pull: () => reader?.send(""),
      cancel: () => void (reader !== null && readers.delete(reader)),
    });
    return c.body(body, 200, { "Content-Type": "text/event-stream; charset=utf-8", "Transfer-Encoding": "chunked" });
  };
  return {
    routes: new Hono().get("/events", stream),
    close() {
      for (const reader of readers) {
        readers.delete(reader);
        reader.end();
      }
    },
  };
}

/** A newer state replaces one that was not read yet. */
function readerOf(controller: ReadableStreamDefaultController<Uint8Array>, device: string | null): Reader {
  const encoder = new TextEncoder();
  let held = "";
  return {
    device,
    send(text) {
      if (text !== "" && (text !== stillHere || held === "")) held = text;
      if (held === "" || (controller.desiredSize ?? 0) <= 0) return;
      controller.enqueue(encoder.encode(held));
      held = "";
    },
    end: () => controller.close(),
  };
}

/** Called several times a second, so what takes long is read again only after a change. */
function stateReader({ answerService, staged, record }: LiveContext, parts: LiveParts): () => Promise<LiveState> {
  let known = { version: "", at: 0, waiting: 0, staged: 0, awaited: 0 };
  return async () => {
    const version = JSON.stringify([await answerService.queue.version(), staged.version()]);
    const now = performance.now();
    if (version !== known.version || now - known.at > REFRESH_MS) {
      const waiting = await answerService.listAndWithdrawEnded();
      const commits = notAskedAbout(staged.list(null), waiting);
      known = { version, at: now, waiting: waiting.length, staged: commits.length, awaited: awaitedSum(waiting) };
    }
    const lastSeq = await record.lastSeq();
    return {
      waiting: known.waiting,
      staged: known.staged,
      version: `${version} ${known.awaited}`,
      lastSeq,
      ...parts.rest(lastSeq),
    };
  };
}

/** A caller that is killed stops waiting without a change in the store. */
function awaitedSum(waiting: readonly QueuedQuestion[]): number {
  const ids = waiting.filter(({ isAwaited }) => isAwaited).map(({ question }) => question.id);
  return crc32(new TextEncoder().encode(ids.join(" ")));
}
