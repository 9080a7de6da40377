// `sallyport ports list`: the servers that run in boxes now.

import { safeJson } from "../../audit/entry.ts";
import { ownCommand, type PathFlags } from "../../config/own-command.ts";
import { displayText } from "../../shared/display.ts";
import { portsOfBox, runningBoxes } from "../../store/running-boxes.ts";
import { exitCode } from "../exit-code.ts";
import { loadFromFlags } from "../open-gate.ts";
import { type Row, tableLines } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface PortsListFlags extends PathFlags {
  readonly json?: boolean;
}

export async function portsListCommand(flags: PortsListFlags, { out, environment }: Terminal): Promise<number> {
  const { stateDirectory } = loadFromFlags(flags, environment);
  const servers = runningBoxes(stateDirectory).flatMap((box) => portsOfBox(box).map((port) => ({ box, port })));
  if (flags.json === true) {
    const ports = servers.map(({ box: { call, session, agent, tool, project }, port }) => ({
      call,
      port,
      session,
      agent,
      tool,
      project,
    }));
    await out.line(safeJson({ ports }));
    return exitCode.ok;
  }
  if (servers.length === 0) {
    await out.line("No program listens in a box now.");
    return exitCode.ok;
  }
  const head = ["call", "port", "session", "agent", "tool", "project"].map((text) => ({
    text,
    styles: ["bold"] as const,
  }));
  const rows = servers.map(({ box, port }): Row => [
    displayText(box.call).slice(0, 8),
    String(port),
    displayText(box.session, { maxLength: 60 }),
    displayText(box.agent, { maxLength: 40 }),
    displayText(box.tool),
    displayText(box.project),
  ]);
  for (const line of tableLines([head, ...rows], out)) await out.line(line);
  const hint = `To look at one: ${ownCommand(environment, flags)("ports", "forward", "PORT", "CALL")}`;
  await out.line(out.paint(hint, "dim"));
  return exitCode.ok;
}
