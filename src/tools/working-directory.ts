// Where a program starts. The grant is checked first, then whether it is there: nobody learns of directories
// that are not theirs to see.

import { statSync } from "node:fs";
import type { ViewLink } from "../action/action.ts";
import { fsGrantFor } from "../policy/capability.ts";
import { resolvePath } from "../process/real-path.ts";
import { isAbsolutePath, isWithin, tidyPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { parseWorkspaceDirectory, rootPath, workspaceRoot } from "../workspace/path.ts";
import type { PlanContext } from "./tool.ts";

export interface PlaceOfWork {
  readonly path: string;
  readonly reads: readonly string[];
  readonly links: readonly ViewLink[];
}

const inTheBox = (path: string): Result<PlaceOfWork> => ok({ path, reads: [], links: [] });

export async function placeOfWork(
  given: string | undefined,
  field: string,
  context: PlanContext,
): Promise<Result<PlaceOfWork>> {
  const { capability, project } = context;
  if (given === undefined) {
    return isDirectory(project) && fsGrantFor(capability, project, "r") !== undefined
      ? inTheBox(project)
      : inTheBox("/tmp");
  }
  const shown = JSON.stringify(given);
  if (!isAbsolutePath(given))
    return fail("invalid_args", `${field}: ${shown} is not an absolute path.`, { hint: "Give a directory in full." });
  const { real, exists, links } = resolvePath(given);
  const tidy = tidyPath(given);
  const inside = [tidy, real].find((path) => isWithin(path, workspaceRoot));
  if (inside !== undefined)
    return (await isInWorkspace(inside, field, context)) ? inTheBox(inside) : missing(field, shown);
  const isGranted = fsGrantFor(capability, real, "r") !== undefined;
  if (tidy === "/tmp" && !isGranted) return inTheBox("/tmp");
  if (!isGranted) return ok({ path: real, reads: [real], links });
  if (!exists) return missing(field, shown);
  if (!isDirectory(real))
    return fail("invalid_args", `${field}: ${shown} is not a directory.`, { hint: "Give a directory that exists." });
  return ok({ path: real, reads: [real], links });
}

/** Directories of files in memory are where files are; an empty one is none. */
async function isInWorkspace(path: string, field: string, { workspace, files }: PlanContext): Promise<boolean> {
  if (workspace.kind === "directory") return isDirectory(workspace.path + path.slice(workspaceRoot.length));
  const parsed = parseWorkspaceDirectory(path, field);
  if (!parsed.ok || parsed.value === rootPath) return parsed.ok;
  const place = await files.resolve(parsed.value);
  return place.ok && (await files.isDirectory(place.value));
}

function missing(field: string, shown: string): Result<never> {
  return fail("invalid_args", `${field}: there is no directory ${shown}.`, { hint: "Give a directory that exists." });
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
