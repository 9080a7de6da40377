// `sallyport serve`: serves the web page on loopback, behind a link that works once; and with --host to paired devices, over TLS.
// Invariant: the link is only printed here. No argument, file or entry of the record contains it.

import { safeJson } from "../../audit/entry.ts";
import { loadClientToken } from "../../store/client-token.ts";
import type { Backend } from "../../runtime/backend.ts";
import { displayText } from "../../shared/display.ts";
import { terminalProblem } from "../terminal/own-terminal.ts";
import { exitCode } from "../exit-code.ts";
import { parsePort } from "../parse-port.ts";
import { loopbackNames } from "./listen.ts";
import { type OpenedPage, openPage } from "./open-page.ts";
import { outerAddress, type OuterFlags } from "./outer-address.ts";
import { projectLines } from "./project-lines.ts";
import { openMcpBackend } from "../mcp/mcp-backend.ts";
import { mcpRoutesFor } from "../mcp/mcp-http.ts";
import type { GateFlags } from "../open-gate.ts";
import { withCancellation } from "../signals.ts";
import { printPulls } from "../print-pulls.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface ServeFlags extends GateFlags, OuterFlags {
  readonly port: string;
  readonly json?: boolean;
}

export async function serveCommand(flags: ServeFlags, terminal: Terminal): Promise<number> {
  const asked = parsePort(flags.port, "--port");
  const outer = outerAddress(flags);
  return await withCancellation(async ({ signal }) => {
    const opened = openMcpBackend(flags, terminal.environment, printPulls(terminal));
    const { backend } = opened;
    const clients = loadClientToken(backend.config.stateDirectory, opened.owner);
    const mcp = mcpRoutesFor(opened, clients.token, loopbackNames, terminal);
    try {
      const page = await openPage(backend, flags, terminal, { port: asked, flag: "--port", mount: mcp.app, outer });
      const { url } = page;
      try {
        for (const note of backend.config.notes) await terminal.err.line(`note: ${displayText(note)}`);
        if (flags.json === true)
          await terminal.out.line(
            safeJson({
              url,
              link: page.newLink(),
              port: page.port,
              mcp: `${url}/mcp`,
              token: clients.token,
              ...(outer === null ? {} : { devices: page.outerUrls }),
            }),
          );
        else await printStart(page, backend, clients.path, terminal);
        await untilEnded(signal, terminal, flags.json === true ? null : () => void printLink(page, terminal));
      } finally {
        await mcp.close();
        await page.close();
      }
    } finally {
      await mcp.close();
      await backend.close();
    }
    return exitCode.ok;
  });
}

async function printStart(
  page: OpenedPage,
  { config, command: own }: Backend,
  tokenFile: string,
  terminal: Terminal,
): Promise<void> {
  const { out, environment } = terminal;
  const { url } = page;
  const [outerUrl] = page.outerUrls;
  const only = outerUrl === undefined ? ", for this machine only" : "";
  await out.line(`${out.paint("Sallyport", "bold")} answers at ${url}${only}.`);
  await printLink(page, terminal);
  if (outerUrl !== undefined)
    await out.line(`On another device:         ${outerUrl}, once it is paired: ${own("devices", "add")}`);
  await out.line();
  for (const line of projectLines(config, environment)) await out.line(line);
  await out.line(`Or over HTTP:       ${url}/mcp, with the token in ${displayText(tokenFile)}`);
  await out.line(`To see it work:     ${own("demo")}, in another terminal`);
  const more = terminalProblem(terminal.streams, 1) === null ? "Enter prints a fresh link. " : "";
  await out.line(out.paint(`${more}Ctrl-C ends it.`, "dim"));
}

async function printLink(page: OpenedPage, { out }: Terminal): Promise<void> {
  await out.line(`Open this, it works once:  ${out.paint(page.newLink(), "cyan")}`);
}

/** Calls `entered` each time a person at this terminal presses Enter. It reads nothing from a pipe. */
async function untilEnded(signal: AbortSignal, { streams }: Terminal, entered: (() => void) | null): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listens = entered !== null && terminalProblem(streams, 1) === null;
  const read = (text: Buffer) => {
    if (text.includes("\n")) entered?.();
  };
  if (listens) streams.stdin.on("data", read);
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  if (listens) streams.stdin.off("data", read).pause();
}
