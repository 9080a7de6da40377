// The schema of an ExecutionResult.

import { z } from "zod";

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
    limit_hit: z.enum(["cpu", "memory", "fsize", "nofile", "nproc", "output", "disk", "network"]).nullable(),
    cwd: z.string(),
    artifacts: z.array(z.object({ path: z.string(), operation: z.string(), size: z.number() })),
    more_artifacts: z.number().optional().describe("how many changed files are not listed"),
    ignored: z.number().optional().describe("how many changed files .gitignore names: they are not listed"),
    enforced: z.object({
      filesystem: held,
      network: z.enum([...held.options, "hosts"]),
      processes: held,
      memory: held,
      cpu: held,
      wall_clock: held,
      environment: held,
      syscalls: held,
    }),
    network: z
      .array(
        z.object({
          host: z.string(),
          port: z.number(),
          decision: z.enum(["allow", "ask", "deny"]),
          question: z.string().optional(),
        }),
      )
      .optional()
      .describe("hosts that the run wanted to reach, and what was decided"),
    not_kept: z
      .array(z.object({ path: z.string(), reason: z.string() }))
      .optional()
      .describe("what the run wrote that cannot be kept: in the workspace, or in a path that it may change"),
    more_not_kept: z.number().optional().describe("how many of these are not listed"),
    notes: z.array(z.string()).optional().describe("what was open to this call beyond the box"),
    hint: z.string().optional().describe("after a failure: what the box keeps from a program, and how to ask for it"),
    requirements: z
      .array(z.object({ name: z.string(), ok: z.boolean(), reason: z.string().optional() }))
      .optional()
      .describe("what `expect` asked for, one by one"),
  }),
);
