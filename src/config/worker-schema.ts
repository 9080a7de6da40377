// The schema of a worker file's frontmatter. It checks the file, is its type, and makes docs/worker.md.
// Invariant: every key narrows, or names something that a person has to approve anyway. No key grants.

import { z } from "zod";
import { configBounds } from "./config-bounds.ts";
import { writtenRuleSchema } from "./rule-schema.ts";
import { fsGrantSchema } from "./schema.ts";

const list = <T extends z.ZodType>(item: T) => z.array(item).max(configBounds.listLength);
const text = z.string().min(1).max(4_096);
const branch = z.string().min(1).max(255).optional().describe("Not written: the default branch of the repository.");
const path = text.describe(
  "`local`, `local-bare`: the repository: absolute, from the project on (`.`), or beginning with `~/` or `${project}`.",
);

const target = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("local").describe("`local`: a repository of this machine."), path, branch }),
  z.strictObject({ type: z.literal("local-bare").describe("`local-bare`: one without working files."), path, branch }),
  z.strictObject({
    type: z.literal("github").describe("`github`: through GitHub's API."),
    repo: text.describe("`github`: `owner/name`."),
    branch,
  }),
  z.strictObject({
    type: z.literal("remote").describe("`remote`: any other, with git itself."),
    url: text.describe("`remote`: `https://…`, `ssh://…` or `user@host:path`, without a password."),
    branch,
  }),
]);

const autoPull = z.strictObject({
  path: text.optional().describe("What to take: a file, a directory or a glob, from the top of the repository on."),
  paths: list(text).min(1).optional().describe("The same, more than one. Write one of the two."),
  source: target.describe("Where from. It is named here, so it is not asked about."),
  on_conflict: z
    .enum(["fail", "overwrite", "keep-both"])
    .default("fail")
    .describe("What happens to a file that is in the workspace already: `fail` leaves that pull out, and says so."),
});

const whole = (least: number, most: number) => z.int().min(least).max(most).optional();
const { memoryMinMb, sizeMaxMb, nofileMin, nofileMax, nprocMin, nprocMax, cpuMaxS, connectionsMax, idleMaxS } =
  configBounds;
const limits = z.strictObject({
  memory_mb: whole(memoryMinMb, sizeMaxMb).describe("Memory of a run."),
  fsize_mb: whole(1, sizeMaxMb).describe("The largest file that a run can write."),
  network_connections: whole(1, connectionsMax).describe("Connections of a run to single hosts, at the same time."),
  network_out_mb: whole(1, sizeMaxMb).describe("What a run can send to them in all."),
  network_in_mb: whole(1, sizeMaxMb).describe("What a run can receive from them in all."),
  network_idle_s: whole(1, idleMaxS).describe("Seconds until a silent connection ends."),
  nofile: whole(nofileMin, nofileMax).describe("Files that a process can have open."),
  nproc: whole(nprocMin, nprocMax).describe("Processes and threads of a run."),
  cpu_s: whole(1, cpuMaxS).describe("Seconds of processor time."),
});

export const workerSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/)
    .describe("Letters, digits, `-`, `_` and `.`."),
  description: z.string().min(1).max(1_024).describe("What the worker is for, in a line."),
  git: z
    .strictObject({
      default_target: target
        .optional()
        .describe("Where `git_push` goes when it names no target. It is asked about all the same."),
      auto_pull: list(autoPull).default([]).describe("What is in the workspace from the start."),
    })
    .prefault({})
    .describe("Where commits go, and where files come from."),
  tool_grants: list(z.string().regex(/^[A-Za-z0-9_.*-]+$/))
    .optional()
    .describe("Of the agent's tools, only these. Not written: all that the agent has, here and below."),
  fs_grants: list(fsGrantSchema)
    .optional()
    .describe(
      "Of the agent's paths, only these. The project with mode `r`: its draft cannot be changed; with `rw`, it can.",
    ),
  net_grants: list(z.string().min(1).max(configBounds.hostLength))
    .optional()
    .describe(
      '`[]`: no network, whatever the agent has. `["*"]`: what the agent has. Otherwise hosts as in the configuration: of the agent\'s, only these.',
    ),
  limits: limits.optional().describe("Lower than the agent's; a higher one has no effect."),
  policy: z
    .strictObject({
      rules: z
        .array(
          writtenRuleSchema.extend({
            decide: z.enum(["ask", "deny"]).describe("A worker can only narrow: there is no `allow` here."),
          }),
        )
        .max(configBounds.ruleCount)
        .default([])
        .describe("Rules on top of all others, as in the configuration."),
    })
    .prefault({})
    .describe("Rules that hold for this worker."),
});

export type WorkerFile = z.infer<typeof workerSchema>;
