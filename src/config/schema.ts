// The configuration file's shape. The same schema checks it, is its type, and writes docs/configuration.md.
// Invariant: every object is strict: a key that nobody reads would be a wish that nobody hears.

import { z } from "zod";
import { limits } from "../shared/limits.ts";

/** Bounds of what a file may ask for; beyond them is a slip of the hand. */
export const configBounds = {
  fileBytes: 1024 * 1024,
  aliasCount: 100,
  agentCount: 100,
  listLength: 200,
  memoryMinMb: 16,
  sizeMaxMb: 1024 * 1024,
  nofileMin: 16,
  nofileMax: 1024 * 1024,
  nprocMin: 8,
  nprocMax: 64 * 1024,
  cpuMaxS: 24 * 3600,
  approvalMaxS: 24 * 3600,
} as const;

const list = <T extends z.ZodType>(item: T) => z.array(item).max(configBounds.listLength);

const path = z
  .string()
  .min(1)
  .describe("Absolute, or beginning with `~/` or `${project}`. Links are resolved when the file is loaded.");

const fsGrant = z.strictObject({
  path,
  mode: z.enum(["r", "rw"]).describe("`r`: see and run. `rw`: change as well."),
  hide: list(z.string().min(1).max(1024))
    .default([])
    .describe(
      "Globs of what is never shown: without a slash a name at any depth (`.env*`), with one a path from the grant on (`keys/*.pem`). `*` `?` `[a-z]` `**`; case counts, dots are letters like any other. Also holds in grants that lie inside.",
    ),
});

const runLimits = z.strictObject({
  memory_mb: z
    .int()
    .min(configBounds.memoryMinMb)
    .max(configBounds.sizeMaxMb)
    .default(limits.memoryMb)
    .describe("Memory of a run, all its processes together where a cgroup can be made."),
  fsize_mb: z
    .int()
    .min(1)
    .max(configBounds.sizeMaxMb)
    .default(limits.fsizeMb)
    .describe("The largest file that a run can write."),
  nofile: z
    .int()
    .min(configBounds.nofileMin)
    .max(configBounds.nofileMax)
    .default(limits.nofile)
    .describe("Files that a process can have open."),
  nproc: z
    .int()
    .min(configBounds.nprocMin)
    .max(configBounds.nprocMax)
    .default(limits.nproc)
    .describe("Processes and threads of a run."),
  cpu_s: z
    .int()
    .min(1)
    .max(configBounds.cpuMaxS)
    .optional()
    .describe("Seconds of processor time. Not written: the call's own timeout."),
});

const agent = z.strictObject({
  tool_grants: list(z.string().regex(/^[A-Za-z0-9_.*-]+$/))
    .default([])
    .describe("Tools by name; `*` stands for any run of characters. Nothing written, nothing granted."),
  fs_grants: list(fsGrant).default([]).describe("Paths. The longest one that covers a file decides about it."),
  net_grants: list(z.string().min(1))
    .default([])
    .describe(
      '`[]` is no network, `["*"]` is the whole network of this machine. Single hosts cannot be enforced yet and are refused.',
    ),
  limits: runLimits.prefault({}).describe("What one run may use."),
});

const mounts = list(z.strictObject({ source: path, target: z.string(), mode: z.enum(["r", "rw"]) }))
  .default([])
  .describe("Not available yet: must be empty.");

const workspace = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("memory").describe("`memory`: nothing on disk."), mounts }),
  z.strictObject({
    kind: z.literal("directory").describe("`directory`: the files of `path`, on this machine."),
    path,
    mounts,
  }),
]);

const rule = z.strictObject({
  decide: z.enum(["allow", "ask", "deny"]),
  effect: z.string().optional(),
  tool: z.string().optional(),
  program: z.string().optional(),
  argv: z.array(z.string()).optional(),
  path: z.string().optional(),
  host: z.string().optional(),
  branch: z.string().optional(),
  because: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
});

export const configSchema = z.strictObject({
  version: z.literal(1).describe("The version of this format."),
  agents: z
    .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/), agent)
    .default({})
    .describe("What each agent may do, by name. `--agent NAME` chooses; `default` is taken when nothing is said."),
  workspace: workspace
    .prefault({ kind: "memory" })
    .describe("What stands at `/workspace`, which every agent may change."),
  approvals: z
    .strictObject({
      mode: z.enum(["ask", "deny"]).default("ask").describe("`ask` a person where one can answer, or `deny` at once."),
      timeout_s: z
        .int()
        .min(1)
        .max(configBounds.approvalMaxS)
        .default(300)
        .describe("Seconds that a call waits for an answer."),
    })
    .prefault({})
    .describe("What happens when a call needs more than is granted."),
  sandbox: z
    .strictObject({
      require: z
        .enum(["kernel", "limits"])
        .default("kernel")
        .describe(
          "`kernel`: file system, network, death of all processes and system calls must be held by the kernel, or nothing starts. `limits`: the runtime and rlimits suffice.",
        ),
    })
    .prefault({})
    .describe("How much of the box must hold."),
  shell: z
    .strictObject({
      programs: list(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/))
        .default([])
        .describe(
          "Names of programs that Shell starts beyond its own list. They are looked for in `/usr/local/bin`, `/usr/bin` and `/bin`.",
        ),
      sensitive_paths: list(z.string().regex(/^\//))
        .default([])
        .describe("Directories that Shell leaves alone beyond its own list."),
    })
    .prefault({})
    .describe("What the Shell tool starts."),
  policy: z
    .strictObject({
      rules: list(rule)
        .default([])
        .describe(
          "Only for the effects `push` and `pull`, which no tool has yet: other rules are not enforced by this version, and refused.",
        ),
    })
    .prefault({})
    .describe("Rules beyond the grants."),
  store: z.literal("sqlite").default("sqlite").describe("Where the record is kept: a file in the state directory."),
});

export type ConfigFile = z.infer<typeof configSchema>;
