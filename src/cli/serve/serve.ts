// `sallyport serve`: serves the web page on loopback, behind a link that works once.
// Invariant: the link is only printed here. No argument, file or entry of the record contains it.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { safeJson } from "../../audit/entry.ts";
import { flagsTo, withPathFlags } from "../../config/own-command.ts";
import { serverStart } from "../../config/server-command.ts";
import type { Config } from "../../config/load.ts";
import { loadClientToken } from "../../store/client-token.ts";
import type { Backend } from "../../runtime/backend.ts";
import { displayCommand, displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { createPageApp, linkTo, type PageApp } from "../../web/app.ts";
import { terminalProblem, userName } from "../terminal/own-terminal.ts";
import { readReport } from "../doctor/doctor-report.ts";
import { exitCode } from "../exit-code.ts";
import { listen, loopback, loopbackNames, parsePort } from "./listen.ts";
import { openMcpBackend } from "../mcp/mcp-backend.ts";
import { mcpRoutesFor } from "../mcp/mcp-http.ts";
import { type GateFlags, loadFromFlags } from "../open-gate.ts";
import { withCancellation } from "../signals.ts";
import { UsageError } from "../usage-error.ts";
import { printPulls } from "../print-pulls.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface ServeFlags extends GateFlags {
  readonly port: string;
  readonly json?: boolean;
}

export async function serveCommand(flags: ServeFlags, terminal: Terminal): Promise<number> {
  const asked = parsePort(flags.port, "--port");
  return await withCancellation(async ({ signal }) => {
    const opened = openMcpBackend(flags, terminal.environment, printPulls(terminal));
    const { backend } = opened;
    const clients = loadClientToken(backend.config.stateDirectory, opened.owner);
    const mcp = mcpRoutesFor(opened, clients.token, loopbackNames, terminal);
    let port = 0;
    const page = createPageApp({
      answerService: backend.answerService,
      store: backend.store,
      journal: backend.journal,
      staged: backend.staged,
      backend,
      configFor: configFor(flags, terminal),
      command: backend.command,
      directories: backend.config,
      who: `${userName()} at the web page`,
      pageDirectory: pageDirectory(),
      port: () => port,
      machine: () => readReport(flags, terminal.environment) as unknown as Json,
      mount: (app) => void app.route("/", mcp.app),
      onFault: (fault) => void terminal.err.line(`sallyport: ${faultText(fault)}`).catch(() => undefined),
    });
    try {
      const listening = await listen(page.app, {
        host: loopback,
        port: asked,
        flag: "--port",
        stateDirectory: backend.config.stateDirectory,
      });
      ({ port } = listening);
      const url = `http://${loopback}:${port}`;
      const watcher = await backend.store.queue.watch("serve", url);
      try {
        for (const note of backend.config.notes) await terminal.err.line(`note: ${displayText(note)}`);
        if (flags.json === true)
          await terminal.out.line(
            safeJson({ url, link: linkTo(url, page.newLink()), port, mcp: `${url}/mcp`, token: clients.token }),
          );
        else await printStart(url, page, backend, clients.path, terminal);
        await untilEnded(signal, terminal, flags.json === true ? null : () => void printLink(url, page, terminal));
      } finally {
        await watcher.leave();
        await page.close();
        await listening.close();
      }
    } finally {
      await mcp.close();
      await backend.close();
    }
    return exitCode.ok;
  });
}

/** A configuration that cannot be read any more is the person's to mend. */
function configFor(flags: ServeFlags, { environment }: Terminal) {
  return (project: string, workspace: "draft" | "memory"): Result<Config> => {
    try {
      return ok(loadFromFlags({ ...flags, project, workspace }, environment));
    } catch (error) {
      if (error instanceof UsageError) return fail("invalid_args", error.message);
      throw error;
    }
  };
}

/** The page's files: beside the compiled command, or in a clone of the repository. */
function pageDirectory(): string {
  const directories = ["../ui", "../../../dist/ui"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return directories.find((directory) => existsSync(`${directory}/index.html`)) ?? (directories[0] as string);
}

async function printStart(
  url: string,
  page: PageApp,
  { config, command: own }: Backend,
  tokenFile: string,
  terminal: Terminal,
): Promise<void> {
  const { out, environment } = terminal;
  const { command, args } = serverStart({ environment, project: config.project });
  const client = displayCommand([command, ...withPathFlags(args, flagsTo(config, environment))]);
  await out.line(`${out.paint("Sallyport", "bold")} answers at ${url}, for this machine only.`);
  await printLink(url, page, terminal);
  await out.line();
  await out.line(`For an MCP client:  ${client}`);
  await out.line(`Or over HTTP:       ${url}/mcp, with the token in ${displayText(tokenFile)}`);
  await out.line(`To see it work:     ${own("demo")}, in another terminal`);
  const more = terminalProblem(terminal.streams, 1) === null ? "Enter prints a fresh link. " : "";
  await out.line(out.paint(`${more}Ctrl-C ends it.`, "dim"));
}

async function printLink(url: string, page: PageApp, { out }: Terminal): Promise<void> {
  await out.line(`Open this, it works once:  ${out.paint(linkTo(url, page.newLink()), "cyan")}`);
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

function faultText(fault: unknown): string {
  return displayText(fault instanceof Error ? fault.message : String(fault), { maxLength: 1_000 });
}
