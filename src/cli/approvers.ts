// The approvers of a command that makes a call: the queue, and beside it the person at this terminal.

import { allowAll } from "../approval/allow-all.ts";
import { queueApprover } from "../approval/queue.ts";
import type { Config } from "../config/load.ts";
import type { GateOptions } from "../runtime/gate.ts";
import type { Terminal } from "./terminal/terminal.ts";

export interface ApproverFlags {
  readonly dangerouslyAllowAll?: boolean;
}

export type ApproversOf = (config: Config) => NonNullable<GateOptions["approvers"]>;

export async function approversFor(
  flags: ApproverFlags,
  { err, environment, streams }: Terminal,
): Promise<ApproversOf> {
  if (flags.dangerouslyAllowAll === true) {
    const warning =
      "--dangerously-allow-all: every question is answered yes, and nobody reads it. Denials and pushes stay.";
    await err.line(err.paint(`WARNING: ${warning}`, "red", "bold"));
    return () => [allowAll];
  }
  // If the command has read its standard input as data, that input is not a person's, so the gate does not ask there.
  const canAsk = err.isTerminal && streams.stdin.isTTY === true && streams.stdin.readableFlowing === null;
  const prompt = canAsk ? (await import("./terminal/terminal-prompt.ts")).terminalPrompt : null;
  const isDumb = (environment["TERM"] ?? "dumb") === "dumb";
  return ({ home }) => [
    (answerService) =>
      queueApprover(() => answerService.queue, prompt?.({ isDumb, answerService, screen: err, home }) ?? null),
  ];
}
