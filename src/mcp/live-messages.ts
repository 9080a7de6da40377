// Messages to a client while its call runs: the progress, the program's output, and that the call waits for a person.
// Invariant: nothing here can slow a call down or end it. A client that does not listen misses the messages.

import type { Notification, ServerContext } from "@modelcontextprotocol/server";
import type { Question } from "../approval/approver.ts";
import { type AnswerPages, waitingText } from "../approval/queue.ts";
import type { OutputStream, RunListener } from "../process/starter.ts";
import { displayText } from "../shared/display.ts";
import { limits } from "../shared/limits.ts";

const EVERY_MS = 200;
const WAITING_EVERY_MS = 5_000;
/** Some clients give up on a call that is silent for a minute. */
const SILENT_MS = 5_000;
const MESSAGE_CHARACTERS = 500;

export interface LiveMessages {
  /** Whether the client hears that the call goes on. */
  readonly isHeard: boolean;
  readonly onOutput: NonNullable<RunListener["onOutput"]>;
  readonly onProgress: NonNullable<RunListener["onProgress"]>;
  /** Sends messages until the returned function is called. */
  waiting(question: Question, queue: AnswerPages): () => void;
  /** Sends the remaining output. It must be called. */
  end(): Promise<void>;
}

export function openLiveMessages({ mcpReq }: ServerContext, tool: string, wantsDebugLog: boolean): LiveMessages {
  const token = mcpReq._meta?.progressToken;
  const notify = (notification: Notification) => mcpReq.notify(notification).catch(() => undefined);
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let count = 0;
  let pending: { message: string; total?: number } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let last = { message: `${tool} is at work`, at: performance.now() };
  const begun = last.at;

  const send = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (pending === null || token === undefined) return;
    const { message } = pending;
    pending = null;
    last.at = performance.now();
    await notify({
      method: "notifications/progress",
      params: { progressToken: token, progress: (count += 1), message: displayText(message, { maxLength: 600 }) },
    });
  };
  const soon = (message: string): void => {
    if (token === undefined) return;
    pending = { message };
    timer ??= setTimeout(() => void send(), EVERY_MS);
  };
  /** While nothing new comes, the client hears this again. */
  const say = (message: string): void => {
    last = { message, at: last.at };
    soon(message);
  };
  const beating = setInterval(() => {
    const now = performance.now();
    if (now - last.at >= SILENT_MS) soon(`${last.message} (${Math.round((now - begun) / 1000)} s)`);
  }, SILENT_MS / 5);
  if (token === undefined) clearInterval(beating);

  // Over HTTP the server cannot tell whether the client has read the messages, so the output of one call is limited.
  let charactersLeft = limits.debugLogBytes;
  const log = async (stream: OutputStream, text: string): Promise<void> => {
    if (charactersLeft <= 0) return;
    charactersLeft -= text.length;
    const data = charactersLeft > 0 ? { stream, text } : { stream, text: "(what follows is in the reply alone)" };
    await notify({ method: "notifications/message", params: { level: "debug", logger: tool, data } });
  };

  return {
    isHeard: token !== undefined,
    onOutput(stream: OutputStream, chunk: Uint8Array) {
      if (token === undefined && !wantsDebugLog) return;
      const text = decoders[stream].decode(chunk, { stream: true });
      say(text.trimEnd().slice(-MESSAGE_CHARACTERS));
      if (wantsDebugLog) return log(stream, text);
    },
    onProgress: (done, total, what) => say(total === null ? `${done} ${what}` : `${done} of ${total} ${what}`),
    waiting(question, queue) {
      let isWaiting = true;
      const tell = async () => {
        const text = await waitingText(question, queue).catch(
          () => `waiting for a person to answer question ${question.id}`,
        );
        if (isWaiting) soon(text);
      };
      void tell();
      const again = setInterval(() => void tell(), WAITING_EVERY_MS);
      return () => {
        isWaiting = false;
        clearInterval(again);
      };
    },
    async end() {
      clearInterval(beating);
      await send();
    },
  };
}
