// The Machine of a browser: it has no disk and no programs but those of the box, and knows only /workspace.

import { isBuiltin } from "../command/script/command-reader.ts";
import { fixedEnvironment } from "../process/box-environment.ts";
import type { ResolvedPath } from "../process/real-path.ts";
import { failure } from "../shared/failure.ts";
import { baseName, isAbsolutePath, parentPath, tidyPath } from "../shared/path.ts";
import { portableHashes } from "../shared/portable-hashes.ts";
import type { Machine } from "../runtime/machine.ts";
import type { ProgramSearch } from "../tools/tool.ts";

/** Where the box's programs count as, so that rules about them mean what they mean on a machine. */
const PROGRAMS = "/usr/bin";

/** Commands of the shell that are programs as well. */
const alsoPrograms: ReadonlySet<string> = new Set(["[", "echo", "false", "kill", "printf", "pwd", "test", "true"]);

/** The box alone knows which of its programs there are. What is judged is the name, whether it is there or not. */
const programs: ProgramSearch = {
  directories: () => [PROGRAMS],
  find(name, path) {
    if (isAbsolutePath(name)) {
      const path = tidyPath(name);
      return fixedDirectories.includes(parentPath(path)) ? `${PROGRAMS}/${baseName(path)}` : path;
    }
    if (name === "" || name.includes("/") || !path.includes(PROGRAMS)) return null;
    return isBuiltin(name) && !alsoPrograms.has(name) ? null : `${PROGRAMS}/${name}`;
  },
  inBox: (name, path) => programs.find(name, path),
  fixed: () => fixedDirectories,
  isFixed: (directories) => directories.every((directory) => fixedDirectories.includes(directory)),
  elsewhere: () => null,
};

const fixedDirectories = (fixedEnvironment("")["PATH"] ?? PROGRAMS).split(":");

const resolve = (path: string): ResolvedPath => ({ real: tidyPath(path), exists: false, links: [] });

export const browserMachine: Machine = {
  hashes: portableHashes,
  newId: (prefix) => `${prefix}${crypto.randomUUID().slice(0, 8)}`,
  disk: { resolve, isDirectory: () => false },
  userName: () => "user",
  programSearch: () => programs,
  findRepository: () => ({
    repository: { ok: false, failure: failure("not_found", "A browser has no repositories of a machine.") },
    directories: [],
  }),
  hashFile: () => null,
  deniedProgramFiles: () => [],
  openNetwork() {
    return Promise.reject(new Error("programs in a browser's box have no network"));
  },
  announceBox: () => () => undefined,
  baseViewPaths: () => [],
};
