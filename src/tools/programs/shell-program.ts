// Finds the program that a name in a command of Shell stands for.

import { fsGrantFor } from "../../policy/capability.ts";
import { boxProgram } from "../../process/box-path.ts";
import { isProgram } from "../../process/find-on-path.ts";
import { resolvePath } from "../../process/real-path.ts";
import { baseName, isAbsolutePath, joinPath } from "../../shared/path.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { grantHint } from "./after-run.ts";
import type { PlanContext } from "../tool.ts";

/** Searches only the directories of the box's PATH: an `ls` elsewhere is not accepted as `ls`. */
export function findShellProgram(name: string, path: readonly string[], context: PlanContext): Result<string> {
  const { capability, workspace } = context;
  const short = isAbsolutePath(name) ? baseName(name) : name;
  const first = boxProgram(short, path, capability);
  if (first === undefined)
    return fail("tool_failed", `${JSON.stringify(short)} is not installed in ${path.join(", ")}.`, {
      hint: elsewhereHint(short, context) ?? "Use another program, or Exec with its full path.",
    });
  const found = isAbsolutePath(name) ? sameProgram(name, short, path) : first;
  if (found === undefined)
    return fail("permission_denied", `${JSON.stringify(name)} is not the ${short} of this machine.`, {
      hint: `Write ${short}.`,
    });
  // SECURITY(T47): a link can lead from a directory of PATH to a file that the agent has written.
  const { real } = resolvePath(found);
  if (workspace.ownFile(real) !== null || fsGrantFor(capability, real, "rw") !== undefined)
    return fail("permission_denied", `${JSON.stringify(short)} leads to ${real}, which the agent can change.`, {
      hint: "Use Bash, which does not take a program for a known one by its name.",
    });
  return ok(found);
}

/** The program of that name in a directory of PATH that this path leads to. */
function sameProgram(written: string, short: string, path: readonly string[]): string | undefined {
  const { real } = resolvePath(written);
  return path
    .map((directory) => joinPath(directory, short))
    .find((candidate) => isProgram(candidate) && resolvePath(candidate).real === real);
}

function elsewhereHint(name: string, { agent, programs }: PlanContext): string | null {
  const missing = programs.elsewhere(name);
  return missing === null ? null : grantHint(name, agent, missing);
}
