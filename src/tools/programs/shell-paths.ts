// Resolves the paths that a command names from the command's directory, and judges them as the box would show them.

import { readdirSync, statSync } from "node:fs";
import type { PathWord } from "../../command/rules/judge-options.ts";
import type { ListDirectory } from "../../command/words/globs.ts";
import { sensitiveDirectories, sensitiveNames } from "../../command/sensitive.ts";
import { fsGrantFor, isHidden } from "../../policy/capability.ts";
import { boxDevices } from "../../policy/box-paths.ts";
import { realPathOf } from "../../policy/workspace-real-path.ts";
import { resolvePath } from "../../process/real-path.ts";
import { isAbsolutePath, isWithin, joinPath, tidyPath } from "../../shared/path.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { PlanContext } from "../tool.ts";

/** Returns the real paths that a command names. Fails if one of them is sensitive. */
export function judgePaths(words: readonly PathWord[], cwd: string, context: PlanContext): Result<string[]> {
  const named: string[] = [];
  for (const { path, word } of words) {
    const full = realPathOf(isAbsolutePath(path) ? path : joinPath(cwd, path), context);
    const { real } = resolvePath(full);
    const sensitive = sensitivePath(real, context);
    if (sensitive !== null) {
      return fail("fs_denied", `${JSON.stringify(word)} names ${real}: ${sensitive}.`, {
        hint: "Shell leaves such places alone. Whoever runs this gate can grant a path inside it.",
      });
    }
    if (
      real === "/tmp" ||
      isWithin(real, "/workspace") ||
      boxDevices.some((device) => isWithin(real, device) || isWithin(full, device))
    )
      continue;
    named.push(real);
  }
  return ok(named);
}

function sensitivePath(real: string, { capability, shell }: PlanContext): string | null {
  const grant = fsGrantFor(capability, real, "r");
  for (const directory of [...sensitiveDirectories, ...shell.sensitivePaths]) {
    const isMeant = grant !== undefined && isWithin(grant.path, directory);
    if (isWithin(real, directory) && !isMeant) return `${directory} is a sensitive place`;
  }
  const inside = grant === undefined ? real : real.slice(grant.path.length);
  const name = inside.split("/").find((part) => sensitiveNames.has(part));
  return name === undefined ? null : `${name} holds keys`;
}

/** Lists a directory for globs, only if the agent may see it, and without hidden entries. */
export function listerFor(cwd: string, context: PlanContext): ListDirectory {
  const { capability, workspace } = context;
  return (path) => {
    const full = isAbsolutePath(path) ? path : joinPath(cwd, path);
    const { real, exists } = resolvePath(full);
    const inside = [tidyPath(full), real].find((one) => workspace.contains(one));
    if (inside !== undefined) {
      const onDisk = realPathOf(inside, context);
      return workspace.namesIn(inside)?.filter(({ name }) => !isHidden(capability, joinPath(onDisk, name))) ?? null;
    }
    if (!exists || fsGrantFor(capability, real, "r") === undefined) return null;
    try {
      return readdirSync(real, { withFileTypes: true })
        .filter((entry) => !isHidden(capability, joinPath(real, entry.name)))
        .map((entry) => {
          if (entry.isDirectory()) return { name: entry.name, kind: "directory" };
          const leadsToDirectory =
            entry.isSymbolicLink() &&
            statSync(joinPath(real, entry.name), { throwIfNoEntry: false })?.isDirectory() === true;
          return { name: entry.name, kind: leadsToDirectory ? "link" : "file" };
        });
    } catch {
      return null; // not a directory, or the gate may not read it
    }
  };
}
