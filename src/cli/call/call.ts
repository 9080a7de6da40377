// `sallyport call`: makes one call and prints one JSON reply on one line of stdout.

import { safeJson } from "../../audit/entry.ts";
import { ownCommand } from "../../config/own-command.ts";
import { autoPull } from "../../runtime/auto-pull.ts";
import type { Gate } from "../../runtime/session-gate.ts";
import type { Json } from "../../shared/json.ts";
import { displayText } from "../../shared/display.ts";
import { approversFor } from "../approvers.ts";
import { describePlan } from "./dry-run.ts";
import { exitCode } from "../exit-code.ts";
import { readJsonArgument } from "./json-argument.ts";
import { commandRegistry } from "../command-registry.ts";
import { type GateFlags, openGateFromFlags } from "../open-gate.ts";
import { openProgress } from "../terminal/progress.ts";
import { signalCode } from "../signal-code.ts";
import { withCancellation } from "../signals.ts";
import { printPulls } from "../print-pulls.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { toolHelpLines } from "./tool-help.ts";
import { UsageError } from "../usage-error.ts";

export interface CallFlags extends GateFlags {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export async function callCommand(
  tool: string,
  json: string | undefined,
  flags: CallFlags,
  terminal: Terminal,
): Promise<number> {
  const args = await readJsonArgument(json, terminal);
  const gate = openGateFromFlags(flags, terminal.environment, await approversFor(flags, terminal));
  try {
    for (const note of gate.config.notes) await terminal.err.line(`note: ${displayText(note)}`);
    return flags.dryRun === true
      ? await showPlan(gate, { tool, args }, flags, terminal)
      : await pullAndCall(gate, { tool, args }, terminal);
  } finally {
    gate.close();
    await gate.closed;
  }
}

interface Request {
  readonly tool: string;
  readonly args: unknown;
}

async function pullAndCall(gate: Gate, request: Request, terminal: Terminal): Promise<number> {
  if (gate.worker !== null) await autoPull(gate, gate.worker, printPulls(terminal));
  return await callOnce(gate, request, terminal);
}

async function callOnce(gate: Gate, request: Request, terminal: Terminal): Promise<number> {
  return await withCancellation(async (cancellation) => {
    const progress = openProgress(terminal.err);
    const reply = await gate.call(request, { signal: cancellation.signal, onProgress: progress.show });
    progress.end();
    await terminal.out.line(safeJson(reply as unknown as Json));
    if (cancellation.by !== null) return signalCode(cancellation.by);
    return reply.ok ? exitCode.ok : exitCode.refused;
  });
}

async function showPlan(gate: Gate, request: Request, flags: CallFlags, terminal: Terminal): Promise<number> {
  const { isAllowed, json, lines } = describePlan(await gate.plan(request), terminal.out);
  await terminal.out.line(flags.json === true ? safeJson(json) : lines.join("\n"));
  return isAllowed ? exitCode.ok : exitCode.refused;
}

export async function toolHelpCommand(name: string, flags: CallFlags, terminal: Terminal): Promise<number> {
  const registry = commandRegistry();
  const tool = registry.describe(name);
  if (tool === undefined)
    throw new UsageError(
      `there is no tool ${displayText(JSON.stringify(name))}`,
      `There is ${registry.names.join(", ")}.`,
    );
  const lines =
    flags.json === true
      ? [safeJson(tool.arguments as Json)]
      : toolHelpLines(tool, terminal.out, ownCommand(terminal.environment, flags));
  await terminal.out.line(lines.join("\n"));
  return exitCode.ok;
}
