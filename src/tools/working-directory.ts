// Where a program starts. The grant is checked first, then whether it is there: nobody learns of directories
// that are not theirs to see.

import { statSync } from "node:fs";
import type { ViewLink } from "../action/action.ts";
import { fsGrantFor } from "../policy/capability.ts";
import { resolvePath } from "../process/real-path.ts";
import { isAbsolutePath, isWithin, tidyPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { PlanContext } from "./tool.ts";

export interface PlaceOfWork {
  readonly path: string;
  readonly reads: readonly string[];
  readonly links: readonly ViewLink[];
}

const inTheBox = (path: string): Result<PlaceOfWork> => ok({ path, reads: [], links: [] });

export function placeOfWork(given: string | undefined, field: string, context: PlanContext): Result<PlaceOfWork> {
  const { capability, project, workspace } = context;
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
  if (tidy === "/workspace" || isWithin(real, "/workspace")) {
    const inner = tidy.slice("/workspace".length);
    if (inner === "" || (workspace.kind === "directory" && isDirectory(workspace.path + inner))) return inTheBox(tidy);
    return missing(field, shown);
  }
  const isGranted = fsGrantFor(capability, real, "r") !== undefined;
  if (tidy === "/tmp" && !isGranted) return inTheBox("/tmp");
  if (!isGranted) return ok({ path: real, reads: [real], links });
  if (!exists) return missing(field, shown);
  if (!isDirectory(real))
    return fail("invalid_args", `${field}: ${shown} is not a directory.`, { hint: "Give a directory that exists." });
  return ok({ path: real, reads: [real], links });
}

function missing(field: string, shown: string): Result<never> {
  return fail("invalid_args", `${field}: there is no directory ${shown}.`, { hint: "Give a directory that exists." });
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
