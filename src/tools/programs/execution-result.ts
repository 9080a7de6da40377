// ExecutionResult: the result of every tool that runs a program.

import type { z } from "zod";
import { utf8Length } from "../../shared/bytes.ts";
import type { HostUse } from "../../network/host-use.ts";
import type { StepNetwork, StepOutcome } from "../tool.ts";
import type { executionResult } from "./execution-schema.ts";

const NAMES_SHOWN = 5;

export type ExecutionResult = z.infer<typeof executionResult>;

export function readExecution({ step, outcome, artifacts, notKept, network }: StepOutcome): ExecutionResult {
  const hints = [outcome.hint, network === undefined ? undefined : networkHint(network)].filter(
    (hint) => hint !== undefined,
  );
  return {
    exit_code: outcome.exitCode,
    signal: outcome.signal,
    stdout: outcome.stdout.text,
    stderr: outcome.stderr.text,
    stdout_truncated: outcome.stdout.truncated,
    stderr_truncated: outcome.stderr.truncated,
    stdout_bytes: outcome.stdout.bytes,
    stderr_bytes: outcome.stderr.bytes,
    duration_s: Math.round(outcome.durationMs) / 1000,
    timed_out: outcome.timedOut,
    limit_hit: outcome.limitHit,
    cwd: step.cwd,
    artifacts: [...artifacts],
    enforced: outcome.enforced,
    ...(hints.length === 0 ? {} : { hint: hints.join(" ") }),
    ...(network === undefined || network.uses.length === 0 ? {} : { network: network.uses.map(judgedHost) }),
    ...(notKept.length === 0 ? {} : { not_kept: [...notKept] }),
  };
}

function judgedHost({ host, port, decision, question }: HostUse): NonNullable<ExecutionResult["network"]>[number] {
  return { host, port, decision, ...(question === null ? {} : { question }) };
}

/** A program that was not let through says only that a connection failed. */
function networkHint({ isOpen, uses, unreached }: StepNetwork): string | undefined {
  if (!isOpen) return undefined; // what is said where there is no network says more
  const closed = uses
    .map((use) => ({ ...use, why: use.refused > 0 ? use.refusal : use.why }))
    .filter(({ why }) => why !== null)
    .map(
      ({ host, port, connections, why }) =>
        `${host}:${port} was ${connections > 0 ? "reached, but not every time" : "not reached"}: ${why}`,
    );
  const names = unreached.slice(0, NAMES_SHOWN).join(", ");
  const ports =
    unreached.length === 0
      ? []
      : [
          `${names} was looked up and not reached: a port other than 22, 80 and 443 has to be granted, or named as in needs.network: ["${unreached[0]}:5432"].`,
        ];
  const all = [...closed, ...ports];
  return all.length === 0 ? undefined : all.join(" ");
}

/** For commands that the gate answers without starting a program. Nothing had to be enforced. */
export function answeredResult(exitCode: number, stdout: string, stderr: string, cwd: string): ExecutionResult {
  return {
    exit_code: exitCode,
    signal: null,
    stdout,
    stderr,
    stdout_truncated: false,
    stderr_truncated: false,
    stdout_bytes: utf8Length(stdout),
    stderr_bytes: utf8Length(stderr),
    duration_s: 0,
    timed_out: false,
    limit_hit: null,
    cwd,
    artifacts: [],
    enforced: {
      filesystem: "runtime",
      network: "runtime",
      processes: "runtime",
      memory: "runtime",
      cpu: "runtime",
      wall_clock: "runtime",
      environment: "runtime",
      syscalls: "runtime",
    },
  };
}
