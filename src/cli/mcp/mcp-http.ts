// `sallyport mcp --http`: serves many clients at once, each with its own session, on loopback and behind a token.

import { createClientRoutes } from "../../mcp/client-routes.ts";
import type { McpRoutes } from "../../mcp/http.ts";
import { displayText } from "../../shared/display.ts";
import { safeJson } from "../../audit/entry.ts";
import { loadClientToken } from "../../store/client-token.ts";
import { exitCode } from "../exit-code.ts";
import { parsePort } from "../parse-port.ts";
import { listen, loopback, loopbackNames } from "../serve/listen.ts";
import { type McpBackend, openMcpBackend } from "./mcp-backend.ts";
import type { McpFlags } from "./mcp.ts";
import { withCancellation } from "../signals.ts";
import { printPulls } from "../print-pulls.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import { version } from "../version.ts";

export async function mcpHttpCommand(flags: McpFlags, terminal: Terminal): Promise<number> {
  const port = parsePort(flags.http ?? "", "--http");
  const host = flags.host ?? loopback;
  return await withCancellation(async ({ signal }) => {
    const backend = openMcpBackend(flags, terminal.environment, printPulls(terminal));
    const { stateDirectory } = backend.backend.config;
    const { token, path } = loadClientToken(stateDirectory, backend.owner);
    const hosts = [...loopbackNames, bracketed(host), ...(flags.allowHost ?? []).map(hostName)];
    const routes = mcpRoutesFor(backend, token, hosts, terminal);
    try {
      for (const note of backend.backend.config.notes) await terminal.err.line(`note: ${displayText(note)}`);
      const listening = await listen(routes.app, { host, port, flag: "--http" });
      try {
        const url = `http://${bracketed(host)}:${listening.port}/mcp`;
        if (flags.json === true) await terminal.out.line(safeJson({ url, token, port: listening.port }));
        else await printAddress(url, path, terminal);
        await aborted(signal);
      } finally {
        await routes.close();
        await listening.close();
      }
    } finally {
      await routes.close();
      await backend.backend.close();
    }
    return exitCode.ok;
  });
}

/** The routes for clients of this backend; what goes wrong is printed to standard error. */
export function mcpRoutesFor(
  { open, worker }: McpBackend,
  token: string,
  hosts: readonly string[],
  { err }: Terminal,
): McpRoutes {
  const onError = ({ message }: Error) => void err.line(`sallyport: ${displayText(message)}`).catch(() => undefined);
  return createClientRoutes({ open, worker, token, hosts, version: version(), onError });
}

/** As written in a Host header. */
function bracketed(address: string): string {
  return address.includes(":") && !address.startsWith("[") ? `[${address}]` : address.toLowerCase();
}

function hostName(text: string): string {
  if (/^[^:/\s]+:\d+$|[/\s]/.test(text) || text === "")
    throw new UsageError(`--allow-host: ${JSON.stringify(text)} is not a name`, "Write it without a port or a path.");
  return bracketed(text.toLowerCase());
}

async function printAddress(url: string, tokenFile: string, { err }: Terminal): Promise<void> {
  await err.line(`MCP over HTTP: ${url}`);
  await err.line(`Clients send the token in ${displayText(tokenFile)} as: Authorization: Bearer TOKEN`);
  await err.line("Ctrl-C ends it.");
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
