// Loads the configuration, checked and resolved, or returns its errors with their lines.
// Invariant: a file with any error grants nothing. Only a missing default file means the built-in defaults.

import { totalmem } from "node:os";
import { type Capability, createCapability, noCapability } from "../policy/capability.ts";
import { grantDirectories } from "../policy/grant-directories.ts";
import type { Channel, PushTerms } from "../notify/channel.ts";
import { personPath } from "../process/person-path.ts";
import { type ResolvedLink, resolvePath } from "../process/real-path.ts";
import { isWithin } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { defaultRunLimits, defaultWorkLimits, type RunLimits } from "../shared/run-limits.ts";
import { type AgentGrant, resolveAgentGrants } from "./agent-grants.ts";
import { type ConfigError, type ConfigErrors, fileError } from "./config-error.ts";
import { defaultConfigText } from "./default.ts";
import type { Environment } from "./environment.ts";
import { droppedNames } from "./field-name.ts";
import type { Protected } from "./grant-path.ts";
import { resolveMounts } from "./mounts.ts";
import { findConfigPaths, leadsNowhere, type ConfigPaths, type ConfigPathsContext } from "./config-paths.ts";
import type { ConfigFile } from "./schema.ts";
import type { Policy } from "../policy/policy.ts";
import type { Rule } from "../policy/rule.ts";
import { netGrantErrors } from "./net-grant-errors.ts";
import { resolveNotify } from "./notify.ts";
import { parseSource } from "./parse-source.ts";
import { checkConfig } from "./quick-check.ts";
import { loadRuleFiles } from "./rule-files.ts";
import { exampleCount, readRule } from "./rules.ts";
import { readConfigFile, type Source } from "./source.ts";
import { writtenLimits } from "./written-limits.ts";
import { resolveWorkspace, shownDirectories, type WorkspaceConfig, workspaceConfig } from "./workspace-config.ts";

const MiB = 1024 * 1024;

export interface LoadContext extends ConfigPathsContext {
  /** The text of the configuration, instead of a file. */
  readonly configText?: string | undefined;
  /** --workspace draft|memory|DIR */
  readonly workspace?: string | undefined;
}

export interface Config {
  /** null for the built-in defaults. */
  readonly file: string | null;
  readonly agents: ReadonlyMap<string, Capability>;
  /** Links by which grants were written. Programs in the box find the granted paths under these names too. */
  readonly links: ReadonlyMap<string, readonly ResolvedLink[]>;
  readonly workspace: WorkspaceConfig;
  readonly approvals: {
    readonly mode: "ask" | "deny";
    readonly timeoutS: number;
    /** Whether an MCP client's answer counts as a person's. */
    readonly trustClient: boolean;
  };
  readonly sandbox: { readonly require: "kernel" | "limits" };
  readonly shell: { readonly programs: readonly string[]; readonly sensitivePaths: readonly string[] };
  readonly policy: {
    readonly rules: readonly Rule[];
    readonly otherwise: Policy["otherwise"];
    /** The number of examples that were tried. */
    readonly exampleCount: number;
  };
  readonly git: {
    readonly author: { readonly name: string; readonly email: string } | null;
    readonly githubUrl: string | undefined;
  };
  /** How the person is told that questions wait. */
  readonly notify: readonly Channel[];
  /** And on paired devices; null where none can be paired. */
  readonly push: PushTerms | null;
  readonly store: "sqlite";
  readonly stateDirectory: string;
  readonly configDirectory: string;
  /** What node keeps of this program: see bin/sallyport.js. */
  readonly compiledDirectory: string;
  readonly project: string;
  readonly home: string;
  /** The directories of the person's PATH, by their real paths and in their order. */
  readonly programPath: readonly string[];
  /** Notes for the person, shown by doctor and on stderr. */
  readonly notes: readonly string[];
}

export type LoadResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly errors: ConfigErrors };

export function loadConfig(context: LoadContext): LoadResult {
  const found = findConfigPaths(context);
  if (!found.ok) return refuse([found.error]);
  const { paths } = found;
  const { stateDirectory, configDirectory } = paths;
  if (isWithin(configDirectory.real, stateDirectory.real)) {
    const message = `the state directory ${stateDirectory.real} holds the configuration directory ${configDirectory.real}`;
    return refuse([
      fileError(
        null,
        message,
        "The key of the record must lie outside the state: name another directory with --state.",
      ),
    ]);
  }
  const opened = context.configText === undefined ? openSource(paths) : parseSource(null, context.configText);
  if (!opened.ok) return refuse(opened.errors);
  const dropped = droppedNames(opened.source);
  if (dropped.length > 0) return refuse(dropped);
  const checked = checkConfig(opened.source);
  if (!checked.ok) return refuse(checked.errors);
  const isBuiltIn = context.configText === undefined && opened.source.file === null;
  const { environment, workspace: workspaceFlag } = context;
  return assemble(checked.value, opened.source, paths, { workspaceFlag, isBuiltIn, environment });
}

export function agentCapability(config: Config, name: string): Result<Capability> {
  const capability = config.agents.get(name);
  if (capability !== undefined) return ok(capability);
  const names = [...config.agents.keys()];
  return fail(
    "invalid_args",
    `there is no agent ${JSON.stringify(name)} in ${config.file ?? "the built-in defaults"}`,
    {
      hint: names.length === 1 ? `The only one is ${names[0]}.` : `There are ${names.join(", ")}.`,
    },
  );
}

function refuse(errors: readonly ConfigError[]): LoadResult {
  const sorted = errors.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  return { ok: false, errors: sorted as unknown as ConfigErrors };
}

function openSource(paths: ConfigPaths): ReturnType<typeof parseSource> {
  const read = readConfigFile(paths.configFile);
  if (read.ok) return parseSource(paths.configFile, read.text);
  if (!read.missing || paths.configFileNamed) return { ok: false, errors: [read.error] };
  if (leadsNowhere(paths.configFile)) {
    // Somebody wrote a configuration, and the defaults may grant more than it.
    return {
      ok: false,
      errors: [
        fileError(paths.configFile, "a link leads nowhere here", "Mend it, or remove it to get the built-in defaults."),
      ],
    };
  }
  return parseSource(null, defaultConfigText);
}

interface Origin {
  readonly workspaceFlag: string | undefined;
  /** True if neither a file nor a text was given. */
  readonly isBuiltIn: boolean;
  readonly environment: Environment;
}

function assemble(
  file: ConfigFile,
  source: Source,
  paths: ConfigPaths,
  { workspaceFlag, isBuiltIn, environment }: Origin,
): LoadResult {
  const guarded: Protected = { ...paths, configFile: resolvePath(paths.configFile) };
  const workspace = resolveWorkspace(file, source, paths, guarded, workspaceFlag);
  const { grants, errors, notes } = resolveAgentGrants(
    file,
    source,
    paths,
    guarded,
    workspace.path === null ? [] : [workspace.path],
    isBuiltIn,
  );
  const rules = file.policy.rules.map((rule, index) => readRule(rule, ["policy", "rules", index], { source, paths }));
  const ruleErrors = rules.flatMap((rule) => ("text" in rule ? [] : rule));
  const mounts = resolveMounts(file, source, paths, guarded);
  const { configDirectory, project, home } = paths;
  const programPath = Object.freeze(personPath({ environment, home, project: project.real }));
  const writable = [
    ...grants.filter(({ mode }) => mode === "rw").map(({ resolved }) => resolved.real),
    ...(workspace.path === null ? [] : [workspace.path.resolved.real]),
  ];
  const notify = resolveNotify(file.notify, source, { paths, environment, programPath, writable });
  const all = [
    ...Object.entries(file.agents).flatMap(([name, { net_grants }]) =>
      netGrantErrors(net_grants, ["agents", name, "net_grants"], source),
    ),
    ...workspace.errors(grants),
    ...mounts.errors,
    ...notify.errors,
    ...errors,
    ...ruleErrors,
  ];
  if (all.length > 0) return refuse(all);
  const added = loadRuleFiles({ configDirectory: configDirectory.real, project: project.real, home });
  if (added.errors.length > 0) return refuse(added.errors);

  const shown = workspaceConfig(workspace, mounts.mounts, paths.project.real);
  const agents = new Map(
    Object.entries(file.agents).map(([name, agent]) => {
      const own = capabilityOf(
        agent,
        grants.filter((grant) => grant.agent === name),
      );
      return [name, grantDirectories(own, own, shownDirectories(shown))];
    }),
  );
  const nobody = agents.size === 0;
  if (nobody) agents.set("default", noCapability);
  const config: Config = {
    file: source.file,
    agents,
    links: new Map(
      Object.keys(file.agents).map((name) => [
        name,
        grants.filter((grant) => grant.agent === name).flatMap((grant) => grant.resolved.links),
      ]),
    ),
    workspace: shown,
    approvals: Object.freeze({
      mode: file.approvals.mode,
      timeoutS: file.approvals.timeout_s,
      trustClient: file.approvals.trust_client,
    }),
    sandbox: Object.freeze(file.sandbox),
    shell: Object.freeze({
      programs: file.shell.programs,
      sensitivePaths: file.shell.sensitive_paths.map((path) => resolvePath(path).real),
    }),
    policy: Object.freeze({
      rules: rules.filter((rule): rule is Rule => "text" in rule),
      otherwise: file.policy.otherwise as Policy["otherwise"],
      exampleCount: file.policy.rules.reduce((sum, rule) => sum + exampleCount(rule), 0),
    }),
    git: Object.freeze({ author: file.git.author ?? null, githubUrl: file.git.github_url }),
    notify: Object.freeze(notify.channels),
    push: notify.push,
    store: file.store,
    home,
    programPath,
    stateDirectory: paths.stateDirectory.real,
    configDirectory: paths.configDirectory.real,
    compiledDirectory: paths.compiledDirectory.real,
    project: paths.project.real,
    notes: Object.freeze([
      ...notes,
      ...notify.notes,
      ...(nobody ? ["No agents are written: the agent default is granted nothing."] : []),
    ]),
  };
  return { ok: true, config: Object.freeze(config) };
}

function capabilityOf(agent: ConfigFile["agents"][string], grants: readonly AgentGrant[]): Capability {
  const withWritten = (defaults: RunLimits): RunLimits => ({ ...defaults, ...writtenLimits(agent.limits) });
  return createCapability({
    toolGrants: agent.tool_grants,
    fsGrants: grants.map(({ resolved, mode, hide }) => ({ path: resolved.real, mode, hide })),
    netGrants: agent.net_grants,
    netProxy: agent.net_proxy,
    limits: withWritten(defaultRunLimits),
    workLimits: withWritten(defaultWorkLimits(Math.floor(totalmem() / MiB))),
  });
}
