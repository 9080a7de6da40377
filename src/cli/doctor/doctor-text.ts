// Prints the doctor's report for a person: the machine, the configuration, and what to do next.

import { describeWorkspaceConfig, draftConfig } from "../../config/workspace-config.ts";
import { grantText } from "../../config/add-grants.ts";
import { ownException } from "../../policy/net-grants.ts";
import { displayText } from "../../shared/display.ts";
import { limits } from "../../shared/limits.ts";
import type { RunLimits } from "../../shared/run-limits.ts";
import type { OwnCommand } from "../../shared/own-command.ts";
import type { AgentReport, DoctorReport } from "./doctor-report.ts";
import { type Row, tableLines, wrapText } from "../terminal/table.ts";
import type { Screen, Style } from "../terminal/terminal.ts";

export function reportLines(report: DoctorReport, screen: Screen, own: OwnCommand): string[] {
  return [
    ...machineLines(report, screen),
    "",
    ...(report.configuration_error === null
      ? configurationLines(report, screen, own)
      : [heading("Configuration", screen), report.configuration_error]),
    ...agentsLines(report, screen),
    "",
    ...conclusionLines(report, screen, own),
  ];
}

function heading(text: string, screen: Screen): string {
  return screen.paint(text, "bold");
}

const heldText: Readonly<Record<string, { text: string; styles: readonly Style[] }>> = {
  kernel: { text: "kernel", styles: ["green"] },
  runtime: { text: "runtime", styles: ["yellow"] },
  no: { text: "no", styles: ["red"] },
};

function machineLines({ machine, node, user }: DoctorReport, screen: Screen): string[] {
  const { bubblewrap, overlay, hosts, cgroupHome, findings, architecture } = machine;
  const groups = Object.keys(cgroupHome?.directories ?? {});
  const facts: Row[] = [
    ["node", `${node} on ${architecture}, ${user.uid === 0 ? "as root" : `as uid ${user.uid}`}`],
    [
      "bubblewrap",
      bubblewrap === null ? "none that could be used" : `${bubblewrap.version}, ${displayText(bubblewrap.path)}`,
    ],
    [
      "overlay",
      overlay
        ? "a layer for each call over a workspace in memory"
        : "none can be mounted here: calls on the same workspace in memory wait for each other",
    ],
    [
      "hosts",
      hosts === null
        ? "programs can reach single hosts: the gate holds their network, and copies"
        : `programs can reach no single hosts: ${hosts.message}. This would mend it: ${hosts.mend}`,
    ],
    [
      "cgroup",
      groups.length === 0 ? "none can be made here" : `version ${cgroupHome?.version}, for ${groups.join(" and ")}`,
    ],
  ];
  const rows = findings.map(({ name, held, how }): Row => [name, heldText[held] ?? held, how]);
  const mends = new Set(
    findings.filter(({ mend }) => mend !== null && mend !== "see above").map(({ name, mend }) => `${name}: ${mend}`),
  );
  return [
    heading("This machine", screen),
    ...tableLines(facts, screen, "  ", "wrap"),
    "",
    heading("What holds a call", screen) +
      screen.paint("  by the kernel, by the gate at run time, or not at all", "dim"),
    ...tableLines(rows, screen, "  ", "wrap"),
    ...[...mends].map((text) => `  ${screen.paint("to hold more:", "yellow")} ${text}`),
  ];
}

function configurationLines(
  { configuration, sandbox, state, key }: DoctorReport,
  screen: Screen,
  own: OwnCommand,
): string[] {
  if (configuration === null) return [];
  const { file, directory, project, workspace, approvals, notes } = configuration;
  const rows: Row[] = [
    [
      "file",
      file === null
        ? `none, so the built-in defaults hold (${displayText(directory)}/config.yaml would be read)`
        : displayText(file),
    ],
    ["project", displayText(project)],
    ["workspace", describeWorkspaceConfig(workspace)],
    ...(state?.drafts ?? []).map(({ project: of, session, agent, begun }): Row => [
      "a draft",
      `of ${displayText(of)}, session ${displayText(session)} of ${displayText(agent)}, begun ${begun.slice(0, 16).replace("T", " ")} UTC`,
    ]),
    [
      "sandbox",
      `require: ${sandbox.require}, ${sandbox.problem === null ? "satisfied" : `NOT satisfied: ${displayText(sandbox.problem.message)}`}`,
    ],
    [
      "approvals",
      approvals.mode === "deny"
        ? "deny: what is not granted is refused at once"
        : `ask: in the terminal of the call, or with \`${own("review")}\`, for ${approvals.timeoutS} s`,
    ],
    [
      "record",
      state === null
        ? "-"
        : `${displayText(state.path)}${state.problem === null ? (state.log === null ? ", no calls yet" : "") : `: ${state.problem}`}`,
    ],
    [
      "its key",
      key === null
        ? "-"
        : `${displayText(key.path)}${key.problem === null ? (key.exists ? "" : ", made with the first call") : `: ${key.problem}`}`,
    ],
  ];
  return [
    heading("Configuration", screen),
    ...tableLines(rows, screen, "  ", "wrap"),
    ...[...notes, ...withoutAgentNote(state?.nobodys_sessions ?? [])].flatMap((note) =>
      wrapText(`note: ${displayText(note)}`, Math.min(screen.width, 110), "  "),
    ),
  ];
}

function withoutAgentNote(sessions: readonly string[]): string[] {
  if (sessions.length === 0) return [];
  const few = sessions.slice(0, 3).join(", ") + (sessions.length > 3 ? ", …" : "");
  return [
    `${sessions.length} session(s) of an earlier version (${few}) belong to no agent that the record names, or to several: their files and staged commits are kept, and no agent sees them.`,
  ];
}

function agentsLines({ configuration }: DoctorReport, screen: Screen): string[] {
  if (configuration === null) return [];
  const { agents, workspace } = configuration;
  const isMemory = draftConfig(workspace)?.isWritten === false;
  return agents.flatMap((agent) => [
    "",
    ...agentLines(agent, isMemory ? "in memory" : "NONE, its calls are refused", screen),
  ]);
}

function limitsText({ memoryMb, fsizeMb, nofile, nproc }: RunLimits): string {
  return `${memoryMb} MB memory, ${nproc} processes, ${nofile} open files, files up to ${fsizeMb} MB`;
}

/** `instead`: what the agent has if it can have no draft. */
function agentLines(agent: AgentReport, instead: string, screen: Screen): string[] {
  const named = (isGranted: boolean) =>
    agent.tools
      .filter(({ granted }) => granted === isGranted)
      .map(({ name }) => name)
      .join(", ") || "none";
  const rows: Row[] = [
    ["tools", named(true)],
    ["no tools", named(false)],
    ...(agent.no_draft === null
      ? []
      : [["workspace", { text: `${instead}: ${displayText(agent.no_draft)}`, styles: ["yellow"] }] satisfies Row]),
    ...agent.fs_grants.map(({ path, mode, hide, tracked, exists }): Row => {
      const except = tracked === "shown" ? " except what git tracks" : "";
      const hidden = hide.length === 0 ? "" : `, hides ${displayText(hide.join(" "))}${except}`;
      const meaning = mode === "rw" ? "changed directly, by your own exception" : "seen and run";
      const text = `${displayText(path)}: ${exists ? meaning : "not there, so it grants nothing"}${hidden}`;
      return [mode, { text, styles: !exists ? ["dim"] : mode === "rw" ? ["yellow"] : [] }];
    }),
    ...(agent.network === "none" ? (["none"] as const) : agent.net_grants).map((line, index): Row => [
      index === 0 ? "network" : "",
      { text: displayText(line), styles: line.endsWith(ownException) ? ["yellow"] : [] },
    ]),
    ["limits", limitsText(agent.work_limits)],
    ["Exec, Git", limitsText(agent.limits)],
    [
      "time",
      `unless the call says: ${limits.scriptTimeoutDefaultS} s of Bash and Python, ${limits.timeoutDefaultS} s of Exec`,
    ],
  ];
  const lines = [heading(`Agent ${displayText(agent.name)}`, screen), ...tableLines(rows, screen, "  ", "wrap")];
  if (agent.suggestions.length > 0) {
    lines.push("  Your own programs outside its grants. To let it run them, add to its fs_grants:");
    const added = agent.suggestions.map(({ program, path, grant, hide }): Row => [
      { text: `- ${grantText({ path: grant, hide })}`, styles: ["cyan"] },
      { text: `# ${program}: ${displayText(path)}`, styles: ["dim"] },
    ]);
    lines.push(...tableLines(added, { ...screen, width: Infinity }, "    "));
  }
  return lines;
}

function conclusionLines(
  { ok, sandbox, configuration, configuration_error, state, key }: DoctorReport,
  screen: Screen,
  own: OwnCommand,
): string[] {
  if (ok) {
    const isExecOff = configuration?.agents.every(
      ({ tools }) => !tools.some(({ name, granted }) => name === "Exec" && granted),
    );
    const lines = [`${screen.paint("Calls can run here.", "green", "bold")} Try: ${own("demo")}`];
    if (isExecOff === true)
      lines.push(
        'Exec is opt-in: nobody may use it until "Exec" is in tool_grants. docs/configuration.md has every key.',
      );
    return lines;
  }
  const lines = [screen.paint("Calls cannot run here yet.", "red", "bold")];
  if (sandbox.problem !== null)
    lines.push(
      `  ${displayText(sandbox.problem.message)}. This would mend it:`,
      `    ${displayText(sandbox.problem.mend)}`,
    );
  if (configuration_error !== null) lines.push("  The configuration above must be mended first.");
  for (const directory of [state, key])
    if (directory !== null && directory.problem !== null)
      lines.push(`  ${displayText(directory.path)} ${displayText(directory.problem)}`);
  return lines;
}
