// ExecutionResult: the result of every tool that runs a program.

import type { z } from "zod";
import { utf8Length } from "../../shared/bytes.ts";
import type { StepOutcome } from "../tool.ts";
import type { executionResult } from "./execution-schema.ts";

export type ExecutionResult = z.infer<typeof executionResult>;

export function readExecution({ step, outcome, artifacts, notKept }: StepOutcome): ExecutionResult {
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
    ...(outcome.hint === undefined ? {} : { hint: outcome.hint }),
    ...(notKept.length === 0 ? {} : { not_kept: [...notKept] }),
  };
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
