// `sallyport init`: installs the server in the agents on this machine, after a person's yes for each.
// Invariant: without a person's terminal the command writes nothing, except the grants of `--toolchains`. It never overwrites existing content.

import { resolve } from "node:path";
import { safeJson } from "../../audit/entry.ts";
import { agentApps, type AgentApp, type AppPaths } from "../../install/agent-apps.ts";
import {
  type AgentFile,
  missingDirectories,
  readAgentFile,
  removeDirectories,
  writeAgentFile,
} from "../../install/agent-files.ts";
import { type AgentPlan, planAgent, planAllowance, type AgentPlanContext, traceOf } from "../../install/agent-plan.ts";
import { describeConfigErrors } from "../../config/config-error.ts";
import { type InitNotes, noteOf, openInitNotes } from "../../install/init-notes.ts";
import { ownCommand, type PathFlags } from "../../config/own-command.ts";
import { findConfigPaths, type ConfigPaths } from "../../config/config-paths.ts";
import { serverStart } from "../../config/server-command.ts";
import { starterConfig } from "../../config/starter.ts";
import { displayCommand, displayText } from "../../shared/display.ts";
import type { Json } from "../../shared/json.ts";
import { nearestName } from "../../shared/nearest.ts";
import { terminalProblem } from "../terminal/own-terminal.ts";
import { exitCode } from "../exit-code.ts";
import { appNames, changeLines, fileText, ownToolsLines, planLines, runLines } from "./init-text.ts";
import { InitDialog } from "./init-dialog.ts";
import { proposeHosts, wantedHostSets } from "./init-hosts.ts";
import { addToolchains, planToolchains, proposeToolchains } from "./init-toolchains.ts";
import { openKeys } from "../terminal/keys.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

export interface InitFlags {
  readonly print?: string | true;
  readonly agentApp?: readonly string[];
  readonly user?: boolean;
  readonly project?: string | true;
  readonly yes?: boolean;
  readonly undo?: boolean;
  readonly toolchains?: boolean;
  readonly json?: boolean;
  readonly config?: string;
}

interface Item {
  readonly plan: AgentPlan;
  readonly trace: string | null;
}

interface InstallSurvey {
  readonly paths: ConfigPaths;
  readonly items: readonly Item[];
  /** The path at which the starter configuration is written; null if a file exists already. */
  readonly starterAt: string | null;
}

export async function initCommand(flags: InitFlags, terminal: Terminal): Promise<number> {
  refuseTogether(flags);
  const found = findConfigPaths({
    configPath: flags.config,
    project: flags.project === true ? undefined : flags.project,
    environment: terminal.environment,
  });
  if (!found.ok) throw new UsageError(describeConfigErrors([found.error]));
  const { paths } = found;
  if (flags.toolchains === true && flags.json !== true) return await addToolchains(paths, terminal);
  if (flags.print !== undefined) return await printCommand(flags.print, flags, paths, terminal);
  const survey = surveyApps(flags, paths, terminal);
  if (flags.json === true) {
    const { suggestions } = planToolchains(paths, terminal.environment);
    const hosts = wantedHostSets(paths, terminal.environment);
    await terminal.out.line(safeJson({ ...report(survey), toolchains: suggestions, hosts } as unknown as Json));
    return exitCode.ok;
  }
  const problem = terminalProblem(terminal.streams, 1);
  if (problem !== null)
    throw new UsageError(
      `init: ${problem}, and only a person changes an agent's configuration`,
      `Run it in a terminal of your own, or take what \`${ownCommand(terminal.environment, flagsOf(flags))("init", "--print")}\` prints.`,
    );
  return await changeAll(survey, flags, terminal);
}

function refuseTogether(flags: InitFlags): void {
  const chosen = (["print", "yes", "undo", "json"] as const).filter((name) => flags[name] !== undefined);
  if (flags.toolchains === true && chosen.some((name) => name !== "json"))
    throw new UsageError(
      `init: --toolchains and --${chosen.find((name) => name !== "json")} do not go together`,
      "--toolchains adds grants for your own programs, and does nothing else.",
    );
  const together =
    chosen.filter((name) => name !== "undo").length > 1 || (flags.undo === true && flags.print !== undefined);
  if (together)
    throw new UsageError(
      `init: ${chosen.map((name) => `--${name}`).join(" and ")} do not go together`,
      "--print and --json change nothing; --yes and --undo do.",
    );
}

/** The agents named by flags, otherwise those found on this machine. */
function surveyApps(flags: InitFlags, paths: ConfigPaths, { environment }: Terminal): InstallSurvey {
  const context = contextOf(flags, paths, environment);
  const chosen = flags.agentApp?.map((name) => appNamed(name, "--agent-app"));
  const items = (chosen ?? agentApps)
    .map((app) => ({ app, trace: traceOf(app, context.appPaths) }))
    .filter(({ trace }) => chosen !== undefined || trace !== null)
    .flatMap(({ app, trace }) =>
      [planAgent(app, context), planAllowance(app, context)].map((plan) => ({ trace, plan })),
    )
    .filter((item): item is Item => item.plan !== null);
  const starter = readAgentFile(paths.configFile);
  const starterAt = flags.undo !== true && starter.ok && starter.file.text === null ? paths.configFile : null;
  return { paths, items, starterAt };
}

function contextOf(flags: InitFlags, paths: ConfigPaths, environment: AppPaths["environment"]): AgentPlanContext {
  const scope = flags.user === true ? "user" : flags.project !== undefined ? "project" : null;
  return {
    appPaths: { home: paths.home, project: paths.project.real, environment },
    scope,
    isUndo: flags.undo === true,
    notes: openInitNotes(paths.configDirectory.real),
  };
}

function appNamed(name: string, flag: string): AgentApp {
  const app = agentApps.find(({ id }) => id === name);
  if (app !== undefined) return app;
  const near = nearestName(name, appNames);
  throw new UsageError(
    `${flag}: there is no agent ${displayText(JSON.stringify(name), { maxLength: 80 })}`,
    near === undefined ? `There are ${appNames.join(", ")}.` : `Did you mean ${near}?`,
  );
}

async function printCommand(
  what: string | true,
  flags: InitFlags,
  paths: ConfigPaths,
  { out, err, environment }: Terminal,
): Promise<number> {
  if (what === "config") {
    await err.line(`For ${fileText(paths.configFile, paths.home)}:`);
    await out.write(starterConfig);
    return exitCode.ok;
  }
  const context = contextOf(flags, paths, environment);
  const apps = what === true ? agentApps : [appNamed(what, "--print")];
  for (const app of apps) {
    const plan = planAgent(app, context);
    if (plan.file === "" && plan.change.state === "impossible") {
      if (what !== true) throw new UsageError(`--project: ${displayText(plan.change.reason)}`, "Leave --project out.");
      continue;
    }
    const title = `${app.name} (${app.id}): ${fileText(plan.file, paths.home)}`;
    if (what !== true) await err.line(title);
    else await out.line(`# ${title}`);
    await out.write(plan.snippet);
    const also = planAllowance(app, context);
    if (also !== null && what !== true)
      await err.line(`And in ${fileText(also.file, paths.home)}:\n${also.snippet.trimEnd()}`);
    else if (also !== null) await out.line(`# And in ${fileText(also.file, paths.home)}:\n${also.snippet.trimEnd()}`);
    if (what === true) await out.line();
  }
  return exitCode.ok;
}

function report({ paths, items, starterAt }: InstallSurvey): object {
  return {
    agents: items
      .filter(({ plan }) => plan.adds === "entry")
      .map(({ plan: { app, scope, file, opened, start, snippet, change }, trace }) => ({
        id: app.id,
        name: app.name,
        found: trace,
        scope,
        file: file === "" ? null : file,
        real: opened?.real ?? null,
        command: [start.command, ...start.args],
        state: change.state,
        reason: change.state === "impossible" ? change.reason : null,
        snippet,
        allowance: allowanceOf(items.find(({ plan }) => plan.app === app && plan.adds === "allowance")),
        own_tools: app.ownTools,
      })),
    config: { file: paths.configFile, state: starterAt === null ? "present" : "add" },
  };
}

function allowanceOf(item: Item | undefined): object | null {
  if (item === undefined) return null;
  const { file, snippet, change } = item.plan;
  return { file, state: change.state, snippet };
}

async function changeAll(
  { paths, items, starterAt }: InstallSurvey,
  flags: InitFlags,
  { out, environment }: Terminal,
): Promise<number> {
  const { home } = paths;
  if (items.length === 0) {
    await out.line("No agent was found on this machine.");
    await out.line(`Choose one with --agent-app: ${appNames.join(", ")}.`);
    const { command, args } = serverStart({ environment, project: null });
    await out.line(`Any other MCP client starts the server with: ${displayCommand([command, ...args])}`);
    await out.line();
  }
  const own = ownCommand(environment, flagsOf(flags));
  const plans = items.map(({ plan }) => plan).filter(({ adds }) => adds === "entry");
  if (flags.undo !== true) for (const line of runLines(plans, own, out)) await out.line(line);
  const notes = openInitNotes(paths.configDirectory.real);
  const dialog = new InitDialog(flags.yes === true ? null : openKeys(process.stdin, process.stdout), out);
  const done: AgentPlan[] = [];
  /** Of a program whose entry the person does not want, nothing else is asked. */
  const refused = new Set<AgentApp>();
  try {
    for (const { plan, trace } of items) {
      if (dialog.isOver) break;
      if (plan.adds === "allowance" && refused.has(plan.app)) continue;
      const lines = planLines(plan, trace, home, out, flags.undo === true);
      const { change: wanted, opened, scope } = plan;
      if ((wanted.state !== "add" && wanted.state !== "remove") || opened === null) {
        dialog.failed ||= wanted.state === "impossible";
        // A note about a text that no longer exists is useless, but one about a file that cannot be read now is not.
        if (
          flags.undo === true &&
          wanted.state !== "impossible" &&
          opened !== null &&
          notes.find(opened.real, opened.text ?? "") === undefined
        )
          notes.set(opened.real, null);
        await out.line(lines.join("\n"));
      } else {
        const mode = scope === "project" ? 0o644 : 0o600;
        const question = wanted.state === "add" ? "Add it?" : "Take it out?";
        const isDone = await dialog.change(lines, question, () => writeNoted(plan, opened, wanted.text, mode, notes));
        if (isDone && plan.adds === "entry") done.push(plan);
        if (!isDone) refused.add(plan.app);
      }
      await out.line();
    }
    if (starterAt !== null && !dialog.isOver) {
      const starter = { file: starterAt, real: starterAt, text: null };
      const title = `${out.paint("A starter configuration", "bold")}: ${fileText(starterAt, home)}`;
      const lines = [
        title,
        "  It says what the built-in defaults say, each line explained.",
        ...changeLines("", starterConfig, out),
      ];
      await dialog.change(flags.yes === true ? lines.slice(0, 2) : lines, "Write it?", () =>
        writeStarter(starter.file),
      );
      await out.line();
    }
    if (flags.undo !== true) {
      await proposeToolchains(paths, environment, dialog);
      await proposeHosts(paths, environment, dialog);
    }
  } finally {
    dialog.close();
  }
  if (flags.undo !== true && done.length > 0) {
    await out.line(ownToolsLines(done, out).join("\n"));
    const undo = own("init", "--undo", ...scopeWords(flags));
    await out.line(`\nStart the agent anew. \`${own("doctor")}\` shows what is granted; \`${undo}\` takes it out.`);
  }
  return dialog.failed ? exitCode.refused : exitCode.ok;
}

function flagsOf({ config, project }: InitFlags): PathFlags {
  return { config, project: typeof project === "string" ? project : undefined };
}

/** The flags that select the same files again. */
function scopeWords({ user, project, agentApp = [] }: InitFlags): string[] {
  return [
    ...agentApp.flatMap((name) => ["--agent-app", name]),
    ...(user === true ? ["--user"] : []),
    ...(project === undefined ? [] : ["--project", resolve(project === true ? "." : project)]),
  ];
}

/** Saves the note for `--undo` after the file is written. Without a note, undo finds the entry by its text alone. */
function writeNoted(
  { item }: AgentPlan,
  opened: AgentFile,
  text: string | null,
  mode: 0o600 | 0o644,
  notes: InitNotes,
): string | null {
  const { real, text: before } = opened;
  const made = text === null ? (notes.find(real, before ?? "")?.made ?? []) : missingDirectories(real);
  const problem = writeAgentFile(opened, text, mode);
  if (problem !== null) return problem;
  if (text === null) removeDirectories(made);
  const isAdded = text !== null && text.length > (before ?? "").length;
  notes.set(real, isAdded ? noteOf(real, before, text, made, item) : null);
  return null;
}

function writeStarter(file: string): string | null {
  const read = readAgentFile(file);
  return read.ok ? writeAgentFile(read.file, starterConfig, 0o600) : read.reason;
}
