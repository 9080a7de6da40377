// Makes one call whose program prints as it would without the gate, and turns its end into the exit code.

import type { CallRequest } from "../../runtime/call.ts";
import type { CallOptions, Gate } from "../../runtime/session-gate.ts";
import { displayText } from "../../shared/display.ts";
import type { ExecutionResult } from "../../tools/programs/execution-result.ts";
import { exitCode } from "../exit-code.ts";
import { createOutputSink, type OutputSink } from "../terminal/output-sink.ts";
import { type Refusal, refusalLines } from "../refusal.ts";
import { signalCode } from "../signal-code.ts";
import { withCancellation } from "../signals.ts";
import { ClosedOutput, type Terminal } from "../terminal/terminal.ts";

/** What the program reads, the sizes of its terminal, and what it reaches of the session. */
interface LiveOptions {
  readonly input?: CallOptions["input"];
  readonly terminal?: CallOptions["terminal"];
  readonly inside?: CallOptions["inside"];
}

export async function runLive(
  gate: Gate,
  request: CallRequest,
  raw: boolean,
  terminal: Terminal,
  listener: LiveOptions = {},
): Promise<number> {
  return await withCancellation(async (cancellation) => {
    const readerGone = new AbortController();
    const signal = AbortSignal.any([cancellation.signal, readerGone.signal]);
    const options = { raw, signal, onClosed: () => readerGone.abort() };
    const sinks: Record<"stdout" | "stderr", OutputSink> = {
      stdout: createOutputSink(terminal.out, options),
      stderr: createOutputSink(terminal.err, options),
    };
    const reply = await gate.call(request, {
      ...listener,
      signal,
      onOutput: (stream, chunk) => sinks[stream].push(chunk),
    });
    await sinks.stdout.end();
    await sinks.stderr.end();
    if (readerGone.signal.aborted) throw new ClosedOutput();
    if (cancellation.by !== null) return signalCode(cancellation.by);
    if (!reply.ok) return await refuse(reply, gate, terminal);
    return await ended(reply.result as ExecutionResult, gate, terminal);
  });
}

async function refuse(reply: Refusal, gate: Gate, { err }: Terminal): Promise<number> {
  for (const line of refusalLines(reply, gate.config, err)) await err.line(line);
  return exitCode.execRefused;
}

const limitText: Readonly<Record<string, string>> = {
  cpu: "its processor time was used up",
  memory: "it needed more memory than its limit",
  fsize: "it wrote a larger file than its limit",
  nproc: "it started more processes than its limit",
  disk: "it wrote more to the disk than its limit, or the disk is nearly full",
};

async function ended(result: ExecutionResult, gate: Gate, { err }: Terminal): Promise<number> {
  const { timed_out, limit_hit, signal, exit_code, hint, not_kept: notKept = [] } = result;
  const say = (text: string) => err.line(err.paint(`sallyport: ${text}`, "yellow"));
  if (timed_out) await say("its time was up, so it and all that it started were ended");
  const limit = limit_hit === null ? undefined : limitText[limit_hit];
  if (limit !== undefined) await say(`${limit} (the limits of agent ${displayText(gate.agent)})`);
  if (hint !== undefined) await err.line(err.paint(`hint: ${displayText(hint)}`, "yellow"));
  for (const { path, reason } of notKept) await say(`not kept: ${displayText(path)}: ${displayText(reason)}`);
  if (timed_out) return exitCode.timedOut;
  return signal === null ? (exit_code ?? exitCode.fault) : signalCode(signal);
}
