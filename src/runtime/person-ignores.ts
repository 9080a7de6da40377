// What the person ignores in all repositories: the file that `core.excludesFile` of their own settings names.
// Invariant: it is read as data. Settings of a repository name no file to read.

import { lastValue } from "../git/person-config.ts";
import { findRepository } from "../git/repository.ts";
import type { Config } from "../config/load.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { resolvePath } from "../process/real-path.ts";
import { latin1Text } from "../shared/bytes.ts";
import { limits } from "../shared/limits.ts";
import { joinPath, parentPath } from "../shared/path.ts";
import { settingsAround } from "./commit-author.ts";

/** Rules as lines. One character for each byte. "" if there are none, or the file cannot be read. */
export function personIgnores(config: Config, project: string): string {
  const written = lastValue(settingsAround(config, findRepository(project).repository), "core", "excludesfile");
  const named = written ?? joinPath(parentPath(config.configDirectory), "git/ignore");
  const path = named.startsWith("~/") ? joinPath(config.home, named.slice(2)) : named;
  if (!path.startsWith("/") || path.includes("\0")) return "";
  const bytes = readPlainFile(resolvePath(path).real, limits.ignoreFileBytes);
  return bytes === null || bytes.length === 0 ? "" : `${latin1Text(bytes)}\n`;
}
