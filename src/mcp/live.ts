// What a client hears while its call runs: how far it is, what the program prints, that a person is being waited for.
// Invariant: nothing here can slow a call down or end it; a client that does not listen misses it.

import type { Notification, ServerContext } from "@modelcontextprotocol/server";
import type { Question } from "../approval/approver.ts";
import type { OutputStream, RunListener } from "../process/starter.ts";
import { displayText } from "../shared/display.ts";

const EVERY_MS = 200;
const WAITING_EVERY_MS = 5_000;
const MESSAGE_CHARACTERS = 500;

export interface Live extends Required<Pick<RunListener, "onOutput" | "onProgress">> {
  /** Until the function that it gives is called. */
  waiting(question: Question): () => void;
  /** Sends what is left. */
  end(): Promise<void>;
}

export function openLive({ mcpReq }: ServerContext, tool: string, wantsDebugLog: boolean): Live {
  const token = mcpReq._meta?.progressToken;
  const tell = (notification: Notification) => mcpReq.notify(notification).catch(() => undefined);
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let count = 0;
  let pending: { message: string; total?: number } | null = null;
  let timer: NodeJS.Timeout | undefined;

  const send = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (pending === null || token === undefined) return;
    const { message } = pending;
    pending = null;
    await tell({
      method: "notifications/progress",
      params: { progressToken: token, progress: (count += 1), message: displayText(message, { maxLength: 600 }) },
    });
  };
  const soon = (message: string): void => {
    if (token === undefined) return;
    pending = { message };
    timer ??= setTimeout(() => void send(), EVERY_MS);
  };

  return {
    onOutput(stream: OutputStream, chunk: Uint8Array) {
      if (token === undefined && !wantsDebugLog) return;
      const text = decoders[stream].decode(chunk, { stream: true });
      soon(text.trimEnd().slice(-MESSAGE_CHARACTERS));
      // Waiting for the client holds the program back, and so what is kept for it here.
      if (wantsDebugLog)
        return tell({
          method: "notifications/message",
          params: { level: "debug", logger: tool, data: { stream, text } },
        }) as Promise<void>;
    },
    onProgress: (done, total, what) => soon(total === null ? `${done} ${what}` : `${done} of ${total} ${what}`),
    waiting({ id }) {
      const say = () => soon(`waiting for a person to answer question ${id}`);
      say();
      const again = setInterval(say, WAITING_EVERY_MS);
      return () => clearInterval(again);
    },
    async end() {
      await send();
    },
  };
}
