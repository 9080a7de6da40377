// The queue of questions: the authority on what was asked and answered, for every process on one store.

import { type OwnCommand, bareOwnCommand } from "../shared/own-command.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { Approver, Question, Response, SettledAnswer } from "./approver.ts";

export interface QueuedQuestion {
  readonly question: Question;
  readonly expiresAt: number;
  /** null: it waits. */
  readonly answer: SettledAnswer | null;
  /** A call has taken the answer. */
  readonly isTaken: boolean;
}

/** No more questions are taken. The message says whose wait, and how many. */
export class QueueFull extends Error {}

export type Answering = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface QuestionQueue {
  /** Gives the question that waits: this one, or an identical one that was there. Throws QueueFull when too many wait. */
  put(question: Question): Question;
  /** The name of an identical question of the same session that waits. */
  waitingId(digest: string, session: SessionId): string | null;
  /** An answer to an identical call of the same session that nobody has used yet. It is used now. */
  take(digest: string, session: SessionId): SettledAnswer | null;
  /** False when it does not wait any more: the first answer counts. */
  answer(id: string, settle: (question: Question) => SettledAnswer): Answering;
  /** A call waits for the answer, until `leave`. Several may wait for the same. */
  waitFor(id: string): { leave(): void };
  isAwaited(id: string): boolean;
  /**
   * The session has ended, and nothing can pick its answers up: its questions wait no more, and what was not used is
   * gone. Those that nobody answered are told to `record`, which writes them down; if that fails, all stays as it was.
   */
  withdraw(session: SessionId, record: (question: Question) => void): void;
  /** The same for sessions that ended together with their process. */
  withdrawOrphans(record: (question: Question) => void): void;
  waiting(): readonly QueuedQuestion[];
  /** Those of one session that wait, or have an answer that nobody has used yet. */
  unsettled(session: SessionId): readonly QueuedQuestion[];
  find(id: string): QueuedQuestion | undefined;
  /** Someone who can answer looks at this store. */
  isWatched(): boolean;
  /** Says so, until `leave`. `url`: where the page is that shows the questions. */
  watch(as: "terminal" | "review" | "serve", url?: string): { leave(): void };
  /** The pages that are there now. */
  places(): readonly string[];
  /** By which a person reaches this store. */
  readonly command?: OwnCommand;
  /** Another one after each change, by whichever process. */
  version(): string;
  /** Resolves when something may have changed, or when the signal says that it does not matter any more. */
  changed(signal: AbortSignal): Promise<void>;
}

export function askedIn({ session, action }: Pick<Question, "session" | "action">): SessionId {
  return { agent: action.agent, name: session };
}

/** Asks right here, beside the queue: a terminal. It answers through the queue, or not at all. */
export interface Prompt {
  show(question: Question, signal: AbortSignal): Promise<void>;
}

type FromQueue = Extract<Response, { settled: SettledAnswer }>;

const fromQueue = new WeakSet<object>();

/** SECURITY(T27): an answer that is in the queue was checked and written down; one that only says so was not. */
export function isFromQueue(response: Response): response is FromQueue {
  return typeof response === "object" && fromQueue.has(response);
}

function taken(settled: SettledAnswer): FromQueue {
  const response = { settled };
  fromQueue.add(response);
  return response;
}

/** Puts the question into the queue, and waits for an answer as long as someone could give one. */
export function queueApprover(queue: QuestionQueue, prompt: Prompt | null = null): Approver {
  return {
    name: "queue",
    later: (question) => whereToAnswer(question, queue),
    async ask(question, signal) {
      const { id, action } = question;
      // Until the answer is taken: whoever gave it is told that the call goes on once it was.
      let waiter: ReturnType<QuestionQueue["waitFor"]> | null = null;
      try {
        for (let round = 1; !signal.aborted; round += 1) {
          const known = queue.take(action.digest, askedIn(question));
          if (known !== null) return taken(known);
          // Not the first time: an identical call was quicker to use the answer to the question that both had asked.
          const queued = putOrFull(queue, round === 1 ? question : { ...question, id: `${id}-${round}` });
          if ("nobody" in queued) return queued;
          const nobody = () => ({ nobody: whereToAnswer(queued, queue) });
          if (prompt === null && !queue.isWatched()) return nobody();
          waiter?.leave();
          waiter = queue.waitFor(queued.id);
          if (!(await isAnswered(queue, queued, prompt, signal))) return nobody();
        }
        return null;
      } finally {
        waiter?.leave();
      }
    },
  };
}

/** Puts the question into the queue and waits for nobody: whoever asked comes again with the answer, or for it. */
export function queueForLater(queue: QuestionQueue, asked: (question: Question) => void): Approver {
  return {
    name: "queue",
    later: (question) => whereToAnswer(question, queue),
    async ask(question) {
      const known = queue.take(question.action.digest, askedIn(question));
      if (known !== null) return taken(known);
      const queued = putOrFull(queue, question);
      if ("nobody" in queued) return queued;
      asked(queued);
      return { nobody: whereToAnswer(queued, queue) };
    },
  };
}

function putOrFull(queue: QuestionQueue, question: Question): Question | { readonly nobody: string } {
  try {
    return queue.put(question);
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    const review = (queue.command ?? bareOwnCommand)("review");
    return {
      nobody: `${error.message}, so this was not asked. A person can answer those with \`${review}\`; then the same call asks.`,
    };
  }
}

/** Only looks: an answer is used when nothing stands between it and the call any more. False: nobody can give one. */
async function isAnswered(
  queue: QuestionQueue,
  question: Question,
  prompt: Prompt | null,
  signal: AbortSignal,
): Promise<boolean> {
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  const shown = prompt?.show(question, either) ?? null;
  // A prompt that ends without an answer, or fails, leaves the queue.
  let isPrompting = shown !== null;
  const prompted = shown?.catch(() => undefined).finally(() => (isPrompting = false));
  try {
    while (!signal.aborted && queue.find(question.id)?.answer === null) {
      if (!isPrompting && !queue.isWatched()) return false;
      await Promise.race([queue.changed(either), ...(isPrompting && prompted !== undefined ? [prompted] : [])]);
    }
    return true;
  } finally {
    done.abort();
    await prompted;
  }
}

/** For the agent to pass on to its person. */
export function whereToAnswer(
  { id, endsWithGate }: Pick<Question, "id" | "endsWithGate">,
  { places, command = bareOwnCommand }: Pick<QuestionQueue, "places" | "command">,
): string {
  const review = `\`${command("review", id)}\``;
  const [page] = places();
  const where = page === undefined ? `: ${review}` : ` at ${page}/#/q/${id}, or with ${review}`;
  const until = endsWithGate === true ? "while this connection lasts, within 24 hours" : "within 24 hours";
  return `A person can answer ${until}${where}; the same call then picks the answer up.`;
}
