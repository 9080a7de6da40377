// The schema of the configuration file. It checks the file, is its type, and makes docs/configuration.md.
// Invariant: every object is strict, because an unknown key would be silently ignored otherwise.

import { z } from "zod";
import { limits } from "../shared/limits.ts";
import { configBounds } from "./config-bounds.ts";
import { notifySchema } from "./notify-schema.ts";
import { list, otherwise, writtenRuleSchema } from "./rule-schema.ts";

const path = z
  .string()
  .min(1)
  .describe("Absolute, or beginning with `~/` or `${project}`. Links are resolved when the file is loaded.");

export const fsGrantSchema = z.strictObject({
  path,
  mode: z.enum(["r", "rw"]).describe("`r`: see and run. `rw`: change as well."),
  hide: list(z.string().min(1).max(1024))
    .default([])
    .describe(
      "Globs of what is never shown: without a slash a name at any depth (`.env*`), with one a path from the grant on (`keys/*.pem`). `*` `?` `[a-z]` `**`; case counts, dots are letters like any other. Also holds in grants that lie inside.",
    ),
  tracked: z
    .enum(["hidden", "shown"])
    .default("hidden")
    .describe(
      "Whether `hide` is about files that git tracks, too. `shown`: what is in the index of the repository (`.env.example`, a test's certificate) is not hidden, so that git works as usual.",
    ),
});

const workTools = "Bash, Python and Shell";
const notWritten = (work: number, other: number) => `Not written: ${work} for ${workTools}, ${other} for others.`;

const runLimits = z.strictObject({
  memory_mb: z
    .int()
    .min(configBounds.memoryMinMb)
    .max(configBounds.sizeMaxMb)
    .optional()
    .describe(
      `Memory of a run, all its processes together where a cgroup can be made. Not written: half of the machine's, at most ${limits.workMemoryMb}, for ${workTools}; ${limits.memoryMb} for others.`,
    ),
  fsize_mb: z
    .int()
    .min(1)
    .max(configBounds.sizeMaxMb)
    .optional()
    .describe(`The largest file that a run can write. ${notWritten(limits.workFsizeMb, limits.fsizeMb)}`),
  disk_mb: z
    .int()
    .min(1)
    .max(configBounds.sizeMaxMb)
    .optional()
    .describe(
      `What a run can write in all to paths of the disk that it may change (${limits.diskMb} where it is not written). Looked at ten times a second.`,
    ),
  draft_mb: z
    .int()
    .min(1)
    .max(configBounds.sizeMaxMb)
    .optional()
    .describe(
      `What a draft can have on the disk in all, over all calls of its session: its layer, its git directory and its HOME (${limits.draftMb} where it is not written).`,
    ),
  network_connections: z
    .int()
    .min(1)
    .max(configBounds.connectionsMax)
    .optional()
    .describe(
      `Connections that a run has at the same time, where it reaches single hosts (${limits.networkConnections} where it is not written).`,
    ),
  network_out_mb: z
    .int()
    .min(1)
    .max(configBounds.sizeMaxMb)
    .optional()
    .describe(`What a run can send to single hosts in all (${limits.networkOutMb} where it is not written).`),
  network_in_mb: z
    .int()
    .min(1)
    .max(configBounds.sizeMaxMb)
    .optional()
    .describe(`What a run can receive from them in all (${limits.networkInMb} where it is not written).`),
  network_idle_s: z
    .int()
    .min(1)
    .max(configBounds.idleMaxS)
    .optional()
    .describe(
      `Seconds after which such a connection ends if nothing is sent in it (${limits.networkIdleS} where it is not written).`,
    ),
  nofile: z
    .int()
    .min(configBounds.nofileMin)
    .max(configBounds.nofileMax)
    .optional()
    .describe(`Files that a process can have open. ${notWritten(limits.workNofile, limits.nofile)}`),
  nproc: z
    .int()
    .min(configBounds.nprocMin)
    .max(configBounds.nprocMax)
    .optional()
    .describe(`Processes and threads of a run. ${notWritten(limits.workNproc, limits.nproc)}`),
  cpu_s: z
    .int()
    .min(1)
    .max(configBounds.cpuMaxS)
    .optional()
    .describe("Seconds of processor time. Not written: the call's own timeout."),
});

const hostText = z
  .string()
  .min(1)
  .max(configBounds.hostLength)
  .describe(
    "`host` (port 443), `host:port`, `host:*` (any port), `*.host` (one label more), `**.host` (all below), `localhost:port`, `10.1.0.0/16:port`, `[2001:db8::1]:port`, or the name of a set of hosts, such as `npm`.",
  );

const hostGrant = z.strictObject({
  host: hostText,
  port: z
    .union([z.int().min(1).max(65_535), z.literal("*")])
    .optional()
    .describe("The port, where `host` has none: a number, or `*` for any. Not written: 443."),
  private: z
    .boolean()
    .optional()
    .describe(
      "Whether the name may lead to a private address, such as one of your own network. Addresses that are written themselves need no such word.",
    ),
  open: z
    .boolean()
    .optional()
    .describe("Whether the gate looks into the connections, with a certificate of its own. What follows needs it."),
  methods: list(z.string().min(1).max(20))
    .optional()
    .describe("HTTP methods that pass, such as `[GET, HEAD]`. Not written: all; with a `credential`, GET and HEAD."),
  paths: list(z.string().min(1).max(1024)).optional().describe("Paths of URLs that pass, as globs: `/api/**`."),
  credential: z
    .strictObject({
      env: z.string().min(1).max(200).optional().describe("The variable of the gate that has the secret."),
      file: z.string().min(1).max(4096).optional().describe("Or the file that has it: an absolute path."),
      header: z.string().min(1).max(64).optional().describe("Where it goes. Not written: `Authorization`."),
      scheme: z
        .string()
        .max(32)
        .optional()
        .describe("The word before it. Not written: `Bearer` in `Authorization`, else none."),
    })
    .optional()
    .describe("A secret that the gate adds to requests for this host. The agent never sees it."),
  cache: z.boolean().optional().describe("Whether the gate keeps package files that never change, for the next call."),
  requests: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe("How many requests one call may send to this host. Not written: any number."),
});

const agent = z.strictObject({
  tool_grants: list(z.string().regex(/^[A-Za-z0-9_.*-]+$/))
    .default([])
    .describe("Tools by name; `*` stands for any run of characters. Nothing written, nothing granted."),
  fs_grants: list(fsGrantSchema).default([]).describe("Paths. The longest one that covers a file decides about it."),
  net_grants: list(z.union([hostText, hostGrant]))
    .default([])
    .describe(
      '`[]` is no network, `["*"]` is the whole network of this machine. Otherwise hosts, as text or with more about them; the one that names a host most exactly decides about it. `ask`: programs may try any host, and a person is asked about each.',
    ),
  net_proxy: z
    .boolean()
    .default(false)
    .describe(
      `Whether boxes with single hosts also have a port ${limits.proxyPort} for HTTP and SOCKS proxies, with the variables that name it. Programs need none; some insist.`,
    ),
  limits: runLimits.prefault({}).describe("What one run may use."),
});

const mounts = list(
  z.strictObject({
    source: path,
    target: z.string().min(1).max(4096).describe("Where programs see it: a directory below `/workspace`."),
    mode: z.literal("r").describe("`r`: to be read. What may change has an `rw` grant of its own."),
  }),
)
  .default([])
  .describe(
    "Directories of this machine that programs see in the workspace, such as `node_modules`. The file tools do not.",
  );

const workspace = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z
      .literal("draft")
      .describe(
        "`draft`: a private layer over the project, at its own path. The project changes only by a push that a person allows.",
      ),
  }),
  z.strictObject({
    kind: z
      .literal("memory")
      .describe("`memory`: in memory; a session with a name is also kept in the state directory."),
    mounts,
  }),
  z.strictObject({
    kind: z.literal("directory").describe("`directory`: the files of `path`, on this machine."),
    path,
    mounts,
  }),
]);

export const configSchema = z.strictObject({
  version: z.literal(1).describe("The version of this format."),
  agents: z
    .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/), agent)
    .default({})
    .describe("What each agent may do, by name. `--agent NAME` chooses one; without it, `default` is used."),
  workspace: workspace
    .optional()
    .describe(
      "The files that every agent may change, at `/workspace`. Not written: a draft, or memory if there can be no draft.",
    ),
  approvals: z
    .strictObject({
      mode: z.enum(["ask", "deny"]).default("ask").describe("`ask` a person if one can answer, or `deny` at once."),
      timeout_s: z
        .int()
        .min(1)
        .max(configBounds.approvalMaxS)
        .default(300)
        .describe("Seconds that a call waits for an answer."),
      trust_client: z
        .boolean()
        .default(false)
        .describe(
          "Whether the yes of an MCP client counts as a person's. Some clients answer by themselves, so it does not unless you say so; questions then go to the queue alone.",
        ),
    })
    .prefault({})
    .describe("What happens when a call needs more than is granted."),
  sandbox: z
    .strictObject({
      require: z
        .enum(["kernel", "limits"])
        .default("kernel")
        .describe(
          "`kernel`: the kernel must enforce the file system, the network, the end of all processes and the system calls, or nothing starts. `limits`: the runtime and rlimits suffice.",
        ),
    })
    .prefault({})
    .describe("How much of the box the kernel must enforce."),
  shell: z
    .strictObject({
      programs: list(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/))
        .default([])
        .describe(
          "Names of programs that Shell starts beyond its own list. They are looked for on your `PATH`, as far as it is granted with mode `r`, then in `/usr/local/bin`, `/usr/bin` and `/bin`.",
        ),
      sensitive_paths: list(z.string().regex(/^\//))
        .default([])
        .describe("Directories that Shell refuses, beyond its own list."),
    })
    .prefault({})
    .describe("What the Shell tool starts."),
  git: z
    .strictObject({
      author: z
        .strictObject({
          name: z.string().min(1).max(200).describe("As it stands in commits."),
          email: z.string().min(1).max(200).describe("The address beside it."),
        })
        .optional()
        .describe("Who commits. Not written: the person of your own git configuration."),
      github_url: z
        .string()
        .regex(/^https:\/\/[^\s@]+$|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/\S*)?$/)
        .optional()
        .describe("The API of a GitHub Enterprise server, such as `https://github.example.org/api/v3`."),
    })
    .prefault({})
    .describe("Commits that leave the workspace."),
  policy: z
    .strictObject({
      rules: z
        .array(writtenRuleSchema)
        .max(configBounds.ruleCount)
        .default([])
        .describe("Each is about one effect. Their order means nothing."),
      otherwise,
    })
    .prefault({})
    .describe("Rules beyond the grants. `sallyport policy` lists, tries and explains them."),
  notify: z
    .array(notifySchema)
    .max(configBounds.notifyCount)
    .default([])
    .describe("How you are told that a question waits, beside the page and the terminal. Each entry is one way."),
  store: z.literal("sqlite").default("sqlite").describe("Where the record is kept: a file in the state directory."),
});

export type ConfigFile = z.infer<typeof configSchema>;
