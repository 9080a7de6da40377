// ExecutionResult: the result of every tool that runs a program.

import { z } from "zod";
import { utf8Length } from "../../shared/bytes.ts";
import type { StepOutcome } from "../tool.ts";

const held = z.enum(["kernel", "runtime", "no"]);

/** Made when somebody asks what a result looks like: no call does. */
export const executionResult = z.lazy(() =>
  z.object({
    exit_code: z.number().nullable().describe("null when a signal ended it"),
    signal: z.string().nullable(),
    stdout: z.string(),
    stderr: z.string(),
    stdout_truncated: z.boolean(),
    stderr_truncated: z.boolean(),
    stdout_bytes: z.number().describe("what the program printed, before the cap"),
    stderr_bytes: z.number(),
    duration_s: z.number(),
    timed_out: z.boolean(),
    limit_hit: z.enum(["cpu", "memory", "fsize", "nofile", "nproc", "output", "disk"]).nullable(),
    cwd: z.string(),
    artifacts: z.array(z.object({ path: z.string(), operation: z.string(), size: z.number() })),
    enforced: z.object({
      filesystem: held,
      network: held,
      processes: held,
      memory: held,
      cpu: held,
      wall_clock: held,
      environment: held,
      syscalls: held,
    }),
    not_kept: z
      .array(z.object({ path: z.string(), reason: z.string() }))
      .optional()
      .describe("what the run left in the workspace that cannot be kept there"),
    notes: z.array(z.string()).optional().describe("what was open to this call beyond the box"),
    hint: z.string().optional().describe("after a failure: what the box keeps from a program, and how to ask for it"),
    requirements: z
      .array(z.object({ name: z.string(), ok: z.boolean(), reason: z.string().optional() }))
      .optional()
      .describe("what `expect` asked for, one by one"),
    quarantined: z
      .array(z.string())
      .optional()
      .describe("files that others would execute later, made where they must not be, and moved away"),
  }),
);

export type ExecutionResult = z.infer<typeof executionResult>;

export function readExecution({ step, outcome, quarantined, artifacts, notKept }: StepOutcome): ExecutionResult {
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
    ...(notKept.length === 0 ? {} : { not_kept: [...notKept] }),
    ...(quarantined.length === 0 ? {} : { quarantined: quarantined.map(({ path }) => path) }),
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
