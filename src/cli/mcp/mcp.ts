// `sallyport mcp`: serves the gate's tools to one MCP client over standard input and output, or to many over HTTP.
// Invariant: only the protocol uses standard output. Messages for a person go to standard error.

import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { displayText } from "../../shared/display.ts";
import { limits } from "../../shared/limits.ts";
import { createServer, createStates } from "../../mcp/server.ts";
import type { OpenSession } from "../../mcp/session.ts";
import { exitCode } from "../exit-code.ts";
import type { McpBackend } from "./mcp-backend.ts";
import type { GateFlags } from "../open-gate.ts";
import { signalCode } from "../signal-code.ts";
import { withCancellation } from "../signals.ts";
import { printPulls } from "../print-pulls.ts";
import type { Streams, Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import { version } from "../version.ts";

export interface McpFlags extends GateFlags {
  readonly http?: string;
  readonly host?: string;
  readonly allowHost?: readonly string[];
  readonly json?: boolean;
}

export async function mcpCommand(flags: McpFlags, terminal: Terminal): Promise<number> {
  if (flags.http !== undefined) return await (await import("./mcp-http.ts")).mcpHttpCommand(flags, terminal);
  for (const flag of ["host", "allowHost", "json"] as const)
    if (flags[flag] !== undefined) throw new UsageError(`--${dashed(flag)}: it goes with --http`);
  let backend: Promise<McpBackend> | undefined;
  let session: Promise<OpenSession> | undefined;
  const backendOf = () => (backend ??= loadBackend(flags, terminal));
  const sessionOf = () => (session ??= backendOf().then(({ open }) => open(undefined)));
  return await withCancellation(async (cancellation) => {
    const { promise: over, resolve: end, reject: fault } = Promise.withResolvers<void>();
    let isBroken = false;
    const states = createStates();
    // The server answers the client first and opens the session right after. An invalid configuration then ends the process.
    const openSoon = () => setImmediate(() => void sessionOf().catch(fault));
    const late = setTimeout(openSoon, 300);
    const serving = serveStdio(
      ({ era }) => {
        openSoon();
        return createServer(sessionOf, { version: version(), states, isModern: era === "modern" });
      },
      {
        transport: new StdioServer(terminal.streams, end),
        onerror: (error) => {
          isBroken ||= error.message.includes("EPIPE") || error.message.includes("ReadBuffer");
          const said = displayText(error.message, { maxLength: 300 });
          void terminal.err.line(`sallyport: ${said}`).catch(() => undefined);
        },
      },
    );
    terminal.streams.stdin.once("end", end).once("close", end);
    cancellation.signal.addEventListener("abort", () => end());
    try {
      await over;
      // Opens the backend even if the client sent nothing, so that an invalid configuration is reported.
      if (cancellation.by === null) await backendOf();
    } finally {
      clearTimeout(late);
      await serving.close();
      await (await session?.catch(() => undefined))?.close();
      await (await backend?.catch(() => undefined))?.backend.close();
    }
    if (cancellation.by !== null) return signalCode(cancellation.by);
    return isBroken ? exitCode.brokenPipe : exitCode.ok;
  });
}

/** Reports the end of the connection, whatever ended it: also a line that is too long, or a client that stopped reading. */
class StdioServer extends StdioServerTransport {
  readonly #ended: () => void;

  constructor({ stdin, stdout }: Streams, ended: () => void) {
    super(stdin, stdout, { maxBufferSize: limits.requestBodyBytes });
    this.#ended = ended;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#ended();
  }
}

async function loadBackend(flags: McpFlags, terminal: Terminal): Promise<McpBackend> {
  const { openMcpBackend } = await import("./mcp-backend.ts");
  const opened = openMcpBackend(flags, terminal.environment, printPulls(terminal));
  for (const note of opened.backend.config.notes) await terminal.err.line(`note: ${displayText(note)}`);
  return opened;
}

const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
