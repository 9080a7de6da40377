// Sends one request over TLS to a server that somebody else named, at an address that was checked.
// Invariant: no redirect is followed, and nothing of the answer is read but its status.

import { request } from "node:https";
import { connect } from "node:tls";
import { errorCode } from "../shared/error-code.ts";
import { type Outbound, reachHost } from "./outbound.ts";

export interface OncePosted {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly mayBePrivate: boolean;
  /** Ends it. */
  readonly signal: AbortSignal;
}

export type PostedEnd =
  | { readonly ok: true; readonly status: number }
  /** `isRefused`: by the gate, because of the address. `code` is the system's word, or empty. */
  | { readonly ok: false; readonly isRefused: boolean; readonly code: string };

export async function postOnce(
  { url, headers, body, mayBePrivate, signal }: OncePosted,
  outbound: Outbound,
): Promise<PostedEnd> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const reached = await reachHost(host, url.port === "" ? 443 : Number(url.port), mayBePrivate, outbound, signal);
  if (!reached.ok) return { ok: false, isRefused: reached.isRefused, code: "" };
  const { socket } = reached;
  return await new Promise((resolve) => {
    const end = (error: Error): void => {
      socket.destroy();
      resolve({ ok: false, isRefused: false, code: errorCode(error) });
    };
    const sending = request(
      url,
      {
        method: "POST",
        headers: { ...headers, "Content-Length": body.length },
        agent: false,
        createConnection: () => connect({ socket, servername: host }),
        signal,
      },
      (response) => {
        socket.destroy();
        resolve({ ok: true, status: response.statusCode ?? 0 });
      },
    );
    sending.on("error", end).end(body);
  });
}
