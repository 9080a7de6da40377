// Asks through the queue: puts the question there, and waits for an answer as long as someone could give one.

import { displayText } from "../shared/display.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { Approver, Question, QuestionDraft, Response, SettledAnswer } from "./approver.ts";
import type { SentNotices } from "./notices.ts";
import { type Presence, QueueFull, type QuestionQueue } from "./shared-store.ts";

export function askedIn({ session, action }: QuestionDraft): SessionId {
  return { agent: action.agent, name: session };
}

/** Asks in a terminal, beside the queue. It answers through the queue or not at all. */
export interface Prompt {
  show(question: Question, signal: AbortSignal): Promise<void>;
}

type FromQueue = Extract<Response, { settled: SettledAnswer }>;

const fromQueue = new WeakSet<object>();

/** SECURITY(T27): an answer in the queue was checked and recorded. An object that only has the same form was not. */
export function isFromQueue(response: Response): response is FromQueue {
  return typeof response === "object" && fromQueue.has(response);
}

function markFromQueue(settled: SettledAnswer): FromQueue {
  const response = { settled };
  fromQueue.add(response);
  return response;
}

/** A function is called when there is something to ask: most calls ask nothing, and need no open queue. */
type QueueSource = QuestionQueue | (() => QuestionQueue);

const queueOf = (source: QueueSource): QuestionQueue => (typeof source === "function" ? source() : source);

/** Puts the question into the queue, and waits for an answer as long as someone could give one. */
export function queueApprover(source: QueueSource, prompt: Prompt | null = null): Approver {
  return {
    name: "queue",
    later: (question) => whereToAnswer(question, queueOf(source)),
    async ask(question, signal) {
      const queue = queueOf(source);
      const { id, action } = question;
      // The call counts as waiting until it has taken the answer, because the person who answered is then told that the call
      // goes on.
      let waiter: Presence | null = null;
      try {
        for (let round = 1; !signal.aborted; round += 1) {
          const known = await queue.take(action.digest, askedIn(question), question.callId);
          if (known !== null) return markFromQueue(known);
          // In a later round, an identical call has used the answer to the question that both had asked.
          const queued = await putOrFull(queue, round === 1 ? question : { ...question, id: `${id}-${round}` });
          if ("nobody" in queued) return queued;
          const nobody = async () => ({ nobody: await whereToAnswer(queued, queue) });
          if (prompt === null && !(await queue.isWatched(queued.severity))) return await nobody();
          await waiter?.leave();
          waiter = await queue.waitFor(queued.id);
          if (!(await isAnswered(queue, queued, prompt, signal))) return await nobody();
        }
        return null;
      } finally {
        await waiter?.leave();
      }
    },
  };
}

/** Puts the question into the queue and does not wait: the client repeats the call with the answer, or to get it. */
export function queueForLater(source: QueueSource, asked: (question: Question) => void): Approver {
  return {
    name: "queue",
    later: (question) => whereToAnswer(question, queueOf(source)),
    async ask(question) {
      const queue = queueOf(source);
      const known = await queue.take(question.action.digest, askedIn(question), question.callId);
      if (known !== null) return markFromQueue(known);
      const queued = await putOrFull(queue, question);
      if ("nobody" in queued) return queued;
      asked(queued);
      return { nobody: await whereToAnswer(queued, queue) };
    },
  };
}

async function putOrFull(queue: QuestionQueue, question: Question): Promise<Question | { readonly nobody: string }> {
  try {
    return await queue.put(question);
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    const review = queue.command("review");
    return {
      nobody: `${error.message}, so this was not asked. A person can answer those with \`${review}\`; then the same call asks.`,
    };
  }
}

/** Waits for an answer without taking it, because the caller takes it as its last step. False if nobody can give one. */
async function isAnswered(
  queue: QuestionQueue,
  question: Question,
  prompt: Prompt | null,
  signal: AbortSignal,
): Promise<boolean> {
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  const shown = prompt?.show(question, either) ?? null;
  // If the prompt ends without an answer or fails, only the queue is left.
  let isPrompting = shown !== null;
  const prompted = shown?.catch(() => undefined).finally(() => (isPrompting = false));
  try {
    while (!signal.aborted) {
      const version = await queue.version();
      if ((await queue.find(question.id))?.answer !== null) break;
      if (!isPrompting && !(await queue.isWatched(question.severity))) return false;
      const changed = queue.changed(version, either);
      await Promise.race([changed, ...(isPrompting && prompted !== undefined ? [prompted] : [])]);
    }
    return true;
  } finally {
    done.abort();
    await prompted;
  }
}

/** Where a person can answer: pages that show the queue, and a command; and what they were told. */
export interface AnswerPages {
  readonly command: OwnCommand;
  readonly notices: SentNotices;
  pages(): Promise<readonly string[]>;
}

/** A text that the agent can pass on to its person. */
export async function whereToAnswer(
  { id, endsWithGate }: { readonly id: string; readonly endsWithGate?: boolean | undefined },
  queue: AnswerPages,
): Promise<string> {
  const where = await placeOf(id, queue);
  const until = endsWithGate === true ? "while this connection lasts, within 24 hours" : "within 24 hours";
  const told = await toldText(id, queue);
  return `A person can answer ${until}${where}; the same call then picks the answer up.${told === "" ? "" : ` ${told}`}`;
}

/** The same while the call waits, as one line. */
export async function waitingText({ id }: { readonly id: string }, queue: AnswerPages): Promise<string> {
  const where = await placeOf(id, queue);
  const told = await toldText(id, queue);
  return `waiting for a person to answer question ${id}${where}${told === "" ? "" : `. ${told}`}`;
}

async function placeOf(id: string, queue: AnswerPages): Promise<string> {
  const review = `\`${queue.command("review", id)}\``;
  const [page] = await queue.pages();
  return page === undefined ? `: ${review}` : ` at ${page}/#/q/${id}, or with ${review}`;
}

/** How the person was told of the question, by the names of their configuration; "" if they were not. */
async function toldText(id: string, { notices }: AnswerPages): Promise<string> {
  const names = (await notices.sentFor(id)).filter(({ problem }) => problem === null).map(({ name }) => name);
  return names.length === 0 ? "" : `They were told by ${displayText([...new Set(names)].join(", "))}.`;
}
