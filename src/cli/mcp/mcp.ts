// `sallyport mcp`: serves the gate's tools to one MCP client over standard input and output, or to many over HTTP.
// Invariant: only the protocol uses standard output. Messages for a person go to standard error.

import { serveClient } from "../../mcp/stdio.ts";
import { displayText } from "../../shared/display.ts";
import { exitCode } from "../exit-code.ts";
import type { GateFlags } from "../open-gate.ts";
import { printPulls } from "../print-pulls.ts";
import { signalCode } from "../signal-code.ts";
import { withCancellation } from "../signals.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import { version } from "../version.ts";
import type { McpBackend } from "./mcp-backend.ts";

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
  const backendOf = () => (backend ??= loadBackend(flags, terminal));
  return await withCancellation(async (cancellation) => {
    try {
      const end = await serveClient({
        stdin: terminal.streams.stdin,
        stdout: terminal.streams.stdout,
        version: version(),
        openSession: async () => await (await backendOf()).open(undefined),
        signal: cancellation.signal,
        onError: (error) => printError(error, terminal),
      });
      if (cancellation.by !== null) return signalCode(cancellation.by);
      // A client that left before its session was opened: an error in the configuration is still reported.
      await backendOf();
      return end === "broken" ? exitCode.brokenPipe : exitCode.ok;
    } finally {
      await (await backend?.catch(() => undefined))?.backend.close();
    }
  });
}

function printError({ message }: Error, { err }: Terminal): void {
  void err.line(`sallyport: ${displayText(message, { maxLength: 300 })}`).catch(() => undefined);
}

async function loadBackend(flags: McpFlags, terminal: Terminal): Promise<McpBackend> {
  const { openMcpBackend } = await import("./mcp-backend.ts");
  const opened = openMcpBackend(flags, terminal.environment, printPulls(terminal));
  for (const note of opened.backend.config.notes) await terminal.err.line(`note: ${displayText(note)}`);
  return opened;
}

const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
