// The Machine of this computer, implemented with node.

import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { findRepository } from "../git/repository.ts";
import { deniedProgramFiles } from "../process/denied-program-files.ts";
import { boxDirectories, boxProgram, findBoxProgram, isFixedPath } from "../process/box-path.ts";
import { programUser } from "../process/environment.ts";
import { programDirectories } from "../process/find-on-path.ts";
import { hashFile } from "../process/file-content.ts";
import { missingGrants } from "../process/toolchain-grants.ts";
import { nodeHashes } from "../process/node-hashes.ts";
import { resolvePath } from "../process/real-path.ts";
import { baseViewPaths } from "../sandbox/base-view.ts";
import { announceBox } from "../store/running-boxes.ts";
import type { ProgramSearch } from "../tools/tool.ts";
import type { Machine, ProgramSearchContext } from "./machine.ts";
import { openNetwork } from "./open-network.ts";

export const nodeMachine: Machine = {
  hashes: nodeHashes,
  newId: (prefix) => `${prefix}${randomUUID().slice(0, 8)}`,
  disk: { resolve: resolvePath, isDirectory },
  userName: programUser,
  programSearch,
  findRepository,
  hashFile,
  deniedProgramFiles: (rules, trees) => deniedProgramFiles(rules, trees, trees),
  baseViewPaths,
  openNetwork,
  announceBox,
};

/** The directories are looked up once for a call, and only if it starts programs. */
function programSearch(context: ProgramSearchContext): ProgramSearch {
  let known: readonly string[] | null = null;
  return {
    directories: () => (known ??= boxDirectories(context)),
    find: (name, directories) => findBoxProgram(name, directories, context.capability),
    inBox: (name, directories) => boxProgram(name, directories, context.capability) ?? null,
    fixed: programDirectories,
    isFixed: (directories) => isFixedPath(directories, context),
    elsewhere: (name) => missingGrants(name, context),
  };
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // absent, or not a valid name
  }
}
