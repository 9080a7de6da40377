// The part of `sallyport init` about hosts: the sets that the project's own files call for, each with what it opens and a question of its own.
// Invariant: a host is granted by a person's yes to this question alone; `--yes` grants none.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { addHosts } from "../../config/add-grants.ts";
import type { ConfigPaths } from "../../config/config-paths.ts";
import type { Environment } from "../../config/environment.ts";
import { starterConfig } from "../../config/starter.ts";
import { writeAgentFile } from "../../install/agent-files.ts";
import { allowsWholeNetwork, type Capability, hostGrantFor } from "../../policy/capability.ts";
import { type HostSetName, hostSets } from "../../policy/host-sets.ts";
import { displayText } from "../../shared/display.ts";
import { wrapText } from "../terminal/table.ts";
import type { Screen } from "../terminal/terminal.ts";
import { configToExtend } from "./init-config.ts";
import type { InitDialog } from "./init-dialog.ts";
import { changeLines, fileText } from "./init-text.ts";

/** The files of a project's own that say which packages it needs. */
const manifests: Readonly<Partial<Record<HostSetName, readonly string[]>>> = {
  npm: ["package.json"],
  pypi: ["pyproject.toml", "requirements.txt", "setup.py", "Pipfile"],
  crates: ["Cargo.toml"],
  go: ["go.mod"],
};

export interface WantedHostSet {
  readonly set: HostSetName;
  /** The file of the project that calls for it. */
  readonly because: string;
  readonly hosts: readonly string[];
  readonly opens: string;
}

/** Those that are not granted yet. */
export function wantedHostSets(paths: ConfigPaths, environment: Environment): WantedHostSet[] {
  const extended = configToExtend(paths, environment);
  if (!extended.ok || allowsWholeNetwork(extended.own.capability)) return [];
  return (Object.entries(manifests) as [HostSetName, readonly string[]][]).flatMap(([set, names]): WantedHostSet[] => {
    const because = names.find((name) => existsSync(join(paths.project.real, name)));
    return because === undefined || isGranted(set, extended.own.capability) ? [] : [{ set, because, ...hostSets[set] }];
  });
}

const isGranted = (set: HostSetName, capability: Capability): boolean =>
  hostSets[set].hosts.every((host) => hostGrantFor(capability, host) !== undefined);

export async function proposeHosts(paths: ConfigPaths, environment: Environment, dialog: InitDialog): Promise<void> {
  for (const wanted of wantedHostSets(paths, environment)) {
    if (dialog.isOver) return;
    await propose(wanted, paths, environment, dialog);
    await dialog.out.line();
  }
}

async function propose(
  wanted: WantedHostSet,
  paths: ConfigPaths,
  environment: Environment,
  dialog: InitDialog,
): Promise<void> {
  const { out } = dialog;
  const extended = configToExtend(paths, environment);
  const lines = wantedLines(wanted, paths, out);
  if (!extended.ok)
    return await out.line([...lines, `  It cannot be added: ${displayText(extended.problem ?? "")}.`].join("\n"));
  const { file, text, agent, loads } = extended.own;
  const added = addHosts(text, agent, [wanted.set]);
  if (!added.ok || !loads(added.text)) {
    const why = added.ok ? "the configuration would not load with it" : added.reason;
    return await out.line([...lines, `  It cannot be added: ${displayText(why)}.`].join("\n"));
  }
  const byHand = `  --yes adds no hosts. To grant them, write ${wanted.set} in the agent's net_grants.`;
  if (!dialog.asks) return await out.line([...lines, byHand].join("\n"));
  const shown = [...lines, ...changeLines(file.text ?? starterConfig, added.text, out)];
  await dialog.change(shown, "Let programs reach them without a question?", () =>
    writeAgentFile(file, added.text, 0o600),
  );
}

function wantedLines(
  { set, because, hosts, opens }: WantedHostSet,
  { configFile, home }: ConfigPaths,
  screen: Screen,
): string[] {
  const width = Math.min(screen.width, 100);
  return [
    `${screen.paint(`Hosts: ${set}`, "bold")} ${screen.paint(`(${because})`, "dim")}: ${fileText(configFile, home)}`,
    `  ${hosts.join(", ")}`,
    ...wrapText(`What they open: ${opens}. Whoever can read from a host can also send to it.`, width, "  "),
    ...wrapText("Without this you are asked when a program tries to reach one of them.", width, "  "),
  ];
}
