// Sends a request of a program on to its host, and the answer back.
// Invariant: node has found the end of each body, and writes it anew, in one way: what is one message here is one message there.

import { type ClientRequest, type IncomingMessage, request, type RequestOptions, type ServerResponse } from "node:http";
import { pipeline, type Transform } from "node:stream";
import { passedHeaders } from "./http-headers.ts";

/** What goes back instead of the host's own answer. The body goes through each of these in turn. */
export interface ChangedAnswer {
  readonly headers: readonly string[];
  readonly body: readonly Transform[];
}

export interface SendOptions {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** The path, and how the host is reached. */
  readonly to: RequestOptions;
  /** Without those that say where the body ends. */
  readonly headers: readonly string[];
  /** Null: the answer cannot be passed on. */
  readonly change?: (answer: IncomingMessage, headers: string[]) => ChangedAnswer | null;
}

export function sendOn(options: SendOptions): ClientRequest {
  const { incoming, response, to, headers } = options;
  // SECURITY(T65): the end of the body, written anew.
  const isChunked = incoming.headers["transfer-encoding"] !== undefined;
  const all = [...headers, ...(isChunked ? ["Transfer-Encoding", "chunked"] : [])];
  const outgoing = request({ ...to, method: incoming.method ?? "GET", headers: all });
  outgoing.on("response", (answer) => answerWith(options, answer));
  outgoing.on("error", () =>
    response.headersSent ? response.destroy() : refuseRequest(response, 502, "The host was not reached, or broke off."),
  );
  response.once("close", () => outgoing.destroy());
  if (isChunked || incoming.headers["content-length"] !== undefined) incoming.pipe(outgoing);
  else outgoing.end();
  return outgoing;
}

function answerWith({ response, change }: SendOptions, answer: IncomingMessage): void {
  const headers = passedHeaders(answer.rawHeaders);
  const changed = change === undefined ? { headers, body: [] } : change(answer, headers);
  if (changed === null) {
    answer.destroy();
    return refuseRequest(response, 502, "The gate cannot look into the host's answer.");
  }
  response.writeHead(answer.statusCode ?? 502, [...changed.headers]);
  pipeline([answer, ...changed.body, response], () => undefined); // each of them is closed, whichever ends first
}

export function refuseRequest(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain", connection: "close" });
  response.end(`${text}\n`);
}
