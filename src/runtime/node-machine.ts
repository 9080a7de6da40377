// The Machine of this computer, implemented with node.

import { randomUUID } from "node:crypto";
import { deniedProgramFiles } from "../process/denied-program-files.ts";
import { findOnPath } from "../process/find-on-path.ts";
import { hashFile } from "../process/file-content.ts";
import { nodeHashes } from "../process/node-hashes.ts";
import { resolvePath } from "../process/real-path.ts";
import { baseViewPaths } from "../sandbox/base-view.ts";
import type { Machine } from "./machine.ts";

export const nodeMachine: Machine = {
  hashes: nodeHashes,
  newId: (prefix) => `${prefix}${randomUUID().slice(0, 8)}`,
  realPath: (path) => resolvePath(path).real,
  findProgram: findOnPath,
  hashFile,
  deniedProgramFiles: (rules, trees) => deniedProgramFiles(rules, trees, trees),
  baseViewPaths,
};
