// Serves one MCP client over standard input and output, until the client leaves or the caller cancels.
// Invariant: standard output belongs to the protocol.

import type { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { limits } from "../shared/limits.ts";
import { createServer, createStates } from "./server.ts";
import type { OpenSession } from "./session.ts";

export interface StdioContext {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly version: string;
  /** Called once. If it fails, serving ends with that error. */
  readonly openSession: () => Promise<OpenSession>;
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
}

/** A client that sends nothing still gets its session, so that an error in the configuration is reported. */
const OPEN_AFTER_MS = 300;

/** `broken`: the client stopped reading, or sent a message that is too long. */
export async function serveClient(context: StdioContext): Promise<"ended" | "broken"> {
  const { stdin, version, signal, onError } = context;
  const { promise: over, resolve: end, reject: fault } = Promise.withResolvers<void>();
  const states = createStates();
  let isBroken = false;
  let session: Promise<OpenSession> | undefined;
  const sessionOf = () => (session ??= context.openSession());
  // Opening the session takes longer than the first reply, so the client is answered first.
  const openSoon = () => setImmediate(() => void sessionOf().catch(fault));
  const late = setTimeout(openSoon, OPEN_AFTER_MS);
  const serving = serveStdio(
    ({ era }) => {
      openSoon();
      return createServer(sessionOf, { version, states, isModern: era === "modern" });
    },
    {
      transport: new ClientTransport(context, end),
      onerror: (error) => {
        isBroken ||= error.message.includes("EPIPE") || error.message.includes("ReadBuffer");
        onError(error);
      },
    },
  );
  stdin.once("end", end).once("close", end);
  signal.addEventListener("abort", () => end());
  try {
    await over;
  } finally {
    clearTimeout(late);
    await serving.close();
    await (await session?.catch(() => undefined))?.close();
  }
  return isBroken ? "broken" : "ended";
}

/** Reports every end of the connection, including those that the library causes: a message that is too long, a failed write. */
class ClientTransport extends StdioServerTransport {
  readonly #onClose: () => void;

  constructor({ stdin, stdout }: StdioContext, onClose: () => void) {
    super(stdin, stdout, { maxBufferSize: limits.requestBodyBytes });
    this.#onClose = onClose;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onClose();
  }
}
