// Counts the bodies of one request that goes out with a credential, and tells of it when it has ended.

import type { IncomingMessage, ServerResponse } from "node:http";
import { Transform } from "node:stream";

export interface CredentialRequest {
  readonly host: string;
  readonly port: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Null: the host did not answer. */
  readonly status: number | null;
  /** Of the bodies. `network.used` has what went over the wire in all. */
  readonly bytesOut: number;
  readonly bytesIn: number;
}

export interface CountedRequest {
  /** The host has begun to answer. Returns what counts the body on its way back. */
  answered(status: number | null): Transform;
}

/** `ended` is called once, also if the program or the host has broken off. */
export function countRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  { host, port }: { readonly host: string; readonly port: number },
  ended: (request: CredentialRequest) => void,
): CountedRequest {
  const { method = "GET", url = "" } = incoming;
  let status: number | null = null;
  let [bytesOut, bytesIn] = [0, 0];
  incoming.on("data", (chunk: Buffer) => (bytesOut += chunk.length));
  response.once("close", () => {
    ended({ host, port, method, path: url.replace(/[?#].*$/s, ""), status, bytesOut, bytesIn });
  });
  return {
    answered(code) {
      status = code;
      return new Transform({
        transform(chunk: Buffer, _encoding, done) {
          bytesIn += chunk.length;
          done(null, chunk);
        },
      });
    },
  };
}
