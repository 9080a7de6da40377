// The table of all programs that are known: one description each, for Shell and for the reader of scripts. To add a
// program, write an entry in the file of its kind: its options and what it does, and examples in test/command/examples.

import type { Program } from "../rules/program.ts";
import { archives } from "./archives.ts";
import { awk } from "./awk.ts";
import { buildTools } from "./build-tools.ts";
import { codeAnalysis } from "./code-analysis.ts";
import { databases } from "./databases.ts";
import { editors } from "./editors.ts";
import { env } from "./env.ts";
import { fileChanges } from "./file-changes.ts";
import { fileInspection } from "./file-inspection.ts";
import { findPrograms } from "./find/find.ts";
import { gitPrograms } from "./git/git.ts";
import { interpreters } from "./interpreters.ts";
import { launchers } from "./launchers.ts";
import { rightsPrograms } from "./more-rights.ts";
import { networkClients } from "./network-clients.ts";
import { packageManagers } from "./packages.ts";
import { remoteLogin } from "./remote-login.ts";
import { sed } from "./sed.ts";
import { shells } from "./shells.ts";
import { systemInformation } from "./system-information.ts";
import { terminalPrograms } from "./terminals.ts";
import { textSearch } from "./text-search.ts";
import { wrappers } from "./wrappers.ts";
import { xargs } from "./xargs.ts";

export const programs: readonly Program[] = [
  ...fileInspection,
  ...textSearch,
  ...findPrograms,
  awk,
  sed,
  ...systemInformation,
  ...codeAnalysis,
  ...fileChanges,
  ...archives,
  ...gitPrograms,
  ...interpreters,
  ...packageManagers,
  ...buildTools,
  env,
  ...xargs,
  ...wrappers,
  ...launchers,
  ...shells,
  ...rightsPrograms,
  ...editors,
  ...terminalPrograms,
  ...databases,
  ...remoteLogin,
  ...networkClients,
];

const byName: ReadonlyMap<string, Program> = new Map(
  programs.flatMap((entry) => [...entry.names, ...entry.aliases].map((name) => [name, entry] as const)),
);

/** By the name of a program, or the part of it before a dot: `python3.11`, `mkfs.ext4`, `vim.tiny`. */
export function findProgramEntry(name: string): Program | undefined {
  return byName.get(name) ?? byName.get(name.slice(0, Math.max(0, name.indexOf("."))));
}
