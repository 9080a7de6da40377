// The part of `sallyport init` about the person's own programs outside /usr: which grants would bring them, and the configuration with these
// grants. Only `r` grants are added, and nothing in the file is changed otherwise.

import { addGrants } from "../../config/add-grants.ts";
import type { ConfigPaths } from "../../config/config-paths.ts";
import type { Environment } from "../../config/environment.ts";
import { starterConfig } from "../../config/starter.ts";
import { type AgentFile, writeAgentFile } from "../../install/agent-files.ts";
import { type Suggestion, suggestGrants } from "../../process/toolchain-grants.ts";
import { displayText } from "../../shared/display.ts";
import { exitCode } from "../exit-code.ts";
import type { Screen, Terminal } from "../terminal/terminal.ts";
import { configToExtend } from "./init-config.ts";
import type { InitDialog } from "./init-dialog.ts";
import { changeLines, fileText } from "./init-text.ts";

export interface ToolchainPlan {
  readonly suggestions: readonly Suggestion[];
  /** Null if there is nothing to add, or it cannot be added. */
  readonly change: { readonly file: AgentFile; readonly text: string } | null;
  /** Why it cannot be added. */
  readonly problem: string | null;
}

const nothing: ToolchainPlan = { suggestions: [], change: null, problem: null };

export function planToolchains(paths: ConfigPaths, environment: Environment): ToolchainPlan {
  const extended = configToExtend(paths, environment);
  if (!extended.ok) return { ...nothing, problem: extended.problem };
  const { file, text, config, agent, capability, loads } = extended.own;
  const { programPath: person, home, project } = config;
  const suggestions = suggestGrants({ person, home, project, capability });
  if (suggestions.length === 0) return nothing;
  const added = addGrants(
    text,
    agent,
    suggestions.map(({ grant, hide }) => ({ path: grant, hide })),
  );
  if (!added.ok) return { suggestions, change: null, problem: added.reason };
  // A grant can be refused for reasons of its own, such as the place of the record.
  if (!loads(added.text)) return { suggestions, change: null, problem: "the configuration would not load with them" };
  return { suggestions, change: { file, text: added.text }, problem: null };
}

/** Asks once about all of them. */
export async function proposeToolchains(
  paths: ConfigPaths,
  environment: Environment,
  dialog: InitDialog,
): Promise<void> {
  const plan = dialog.isOver ? nothing : planToolchains(paths, environment);
  if (plan.suggestions.length === 0) return;
  const lines = toolchainLines(plan, paths, dialog.out);
  if (plan.change === null) await dialog.out.line(lines.join("\n"));
  else await dialog.change(lines, "Add them?", () => writeToolchains(plan));
  await dialog.out.line();
}

function toolchainLines({ suggestions, change, problem }: ToolchainPlan, paths: ConfigPaths, screen: Screen): string[] {
  const { configFile, home } = paths;
  const title = `${screen.paint("Your own programs", "bold")}: ${fileText(configFile, home)}`;
  const programs = suggestions.map(({ program, path }) => `    ${displayText(program)}: ${fileText(path, home)}`);
  const found = ["  An agent may not run these yet, because no grant covers them:", ...programs];
  if (change === null)
    return [
      title,
      ...(suggestions.length === 0 ? [] : found),
      `  They cannot be added: ${displayText(problem ?? "")}.`,
    ];
  return [
    title,
    ...found,
    "  These lines let it read and run them, and change nothing in them:",
    ...changeLines(change.file.text ?? starterConfig, change.text, screen),
  ];
}

function writeToolchains({ change }: ToolchainPlan): string | null {
  return change === null ? null : writeAgentFile(change.file, change.text, 0o600);
}

/** `init --toolchains`: without a question, also without a terminal. */
export async function addToolchains(paths: ConfigPaths, { out, environment }: Terminal): Promise<number> {
  const plan = planToolchains(paths, environment);
  if (plan.suggestions.length === 0 && plan.problem === null) {
    await out.line("All programs on your PATH that an agent could run are granted already.");
    return exitCode.ok;
  }
  await out.line(toolchainLines(plan, paths, out).join("\n"));
  const problem = plan.problem ?? writeToolchains(plan);
  if (problem === null) await out.line(`  ${out.paint("Done.", "green")}`);
  else if (plan.problem === null) await out.line(`  ${out.paint("Not done", "red")}: ${displayText(problem)}`);
  return problem === null ? exitCode.ok : exitCode.refused;
}
