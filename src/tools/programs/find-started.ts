// Finds the program that a call starts by its absolute path, on the machine or in the workspace.

import { statSync } from "node:fs";
import { isProgram } from "../../process/find-on-path.ts";
import { type ResolvedPath, resolvePath } from "../../process/real-path.ts";
import { isAbsolutePath, tidyPath } from "../../shared/path.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { PlanContext } from "../tool.ts";

export async function findStarted(name: string, context: PlanContext): Promise<Result<ResolvedPath>> {
  return (await ownProgram(name, context)) ?? findProgram(name);
}

/** A program in a workspace that programs see at a path of the disk, such as a draft. Null if it is none. */
async function ownProgram(name: string, { workspace, files }: PlanContext): Promise<Result<ResolvedPath> | null> {
  const own = isAbsolutePath(name) ? workspace.ownFile(name) : null;
  const real = workspace.onDisk(workspace.spelled(tidyPath(name)));
  if (own?.ok !== true || real === null) return null;
  const found = await files.resolve(own.value);
  const entry = found.ok ? await files.entry(found.value) : undefined;
  return entry?.kind === "file" && entry.executable ? ok({ real, exists: true, links: [] }) : null;
}

function findProgram(name: string): Result<ResolvedPath> {
  const shown = JSON.stringify(name);
  if (!isAbsolutePath(name)) {
    return fail("invalid_args", `argv[0]: ${shown} is not an absolute path.`, {
      hint: "Name the program in full, like /usr/bin/grep. No search path is used.",
    });
  }
  const program = resolvePath(name);
  if (!program.exists)
    return fail("invalid_args", `argv[0]: there is no ${shown}.`, {
      hint: "Name a program that exists, by its absolute path.",
    });
  const found = statSync(program.real, { throwIfNoEntry: false });
  if (found?.isFile() !== true)
    return fail("invalid_args", `argv[0]: ${shown} is not a file.`, { hint: "Name a program." });
  if (!isProgram(program.real))
    return fail("invalid_args", `argv[0]: ${shown} is not executable.`, {
      hint: "Name a program; to read a file, use /bin/cat.",
    });
  return ok(program);
}
