// Live changes from the server: one stream of server-sent events, which the page opens again when it breaks.
// The page reads it with fetch, because EventSource cannot send the page's token.

import type { LiveState } from "../src/web/api.ts";
import type { WorkState } from "../src/web/api-work.ts";
import { ApiError, isEntered, request } from "./client.ts";

export interface Live {
  readonly state: LiveState | null;
  readonly isConnected: boolean;
  /** Of the gate in the browser; others do not send it. */
  readonly work?: WorkState;
}

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 10_000;

/** Reports each change to `listener` until the returned function is called. */
export function watchLive(listener: (live: Live) => void): () => void {
  const stop = new AbortController();
  void follow(listener, stop.signal);
  return () => stop.abort();
}

async function follow(listener: (live: Live) => void, signal: AbortSignal): Promise<void> {
  let live: Live = { state: null, isConnected: false };
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted && isEntered()) {
    try {
      const response = await request("GET", "/api/events", undefined, signal);
      for await (const { event, data } of serverEvents(response)) {
        if (event !== "state" && event !== "work") continue;
        live = { ...live, [event]: JSON.parse(data) as unknown, isConnected: true };
        waitMs = FIRST_WAIT_MS;
        listener(live);
      }
    } catch (error) {
      if (signal.aborted || (error instanceof ApiError && error.status === 401)) return;
    }
    if (signal.aborted) return;
    live = { ...live, isConnected: false };
    listener(live);
    await pause(waitMs * (0.75 + Math.random() / 2), signal);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

/** Ends early when the person comes back to the page, so that they do not see an old queue. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("focus", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("focus", done);
    signal.addEventListener("abort", done);
  });
}

interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Parses a stream of server-sent events, as far as the server uses them: `event` and `data` lines, ended by an empty line. */
async function* serverEvents(response: Response): AsyncGenerator<ServerEvent> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let event = "message";
  let data: string[] = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split(/\r?\n/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield { event, data: data.join("\n") };
          event = "message";
          data = [];
        } else if (line.startsWith("event:")) event = line.slice(6).trimStart();
        else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
