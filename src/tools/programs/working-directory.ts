// Where a program starts. The grant is checked first, then whether it is there: nobody learns of directories
// that are not theirs to see. What is not granted yet is looked at once somebody has said yes.

import { statSync } from "node:fs";
import type { ViewLink } from "../../action/action.ts";
import { fsGrantFor } from "../../policy/capability.ts";
import { resolvePath } from "../../process/real-path.ts";
import { isAbsolutePath, isWithin, tidyPath } from "../../shared/path.ts";
import { type Failure, failure } from "../../shared/failure.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { parseWorkspaceDirectory, rootPath, workspaceRoot } from "../../workspace/path.ts";
import type { PlanContext } from "../tool.ts";

export interface WorkingDirectory {
  readonly path: string;
  readonly reads: readonly string[];
  readonly links: readonly ViewLink[];
  /** Why nothing can start there. Only for whoever may see it. */
  problem(): Promise<Failure | null>;
}

const ownTmp: WorkingDirectory = { path: "/tmp", reads: [], links: [], problem: async () => null };

export async function resolveWorkingDirectory(
  given: string | undefined,
  field: string,
  context: PlanContext,
): Promise<Result<WorkingDirectory>> {
  const { capability, project } = context;
  if (given === undefined) {
    const isProject = fsGrantFor(capability, project, "r") !== undefined && isDirectory(project);
    return ok(isProject ? onDisk(project, field, project, { reads: [], links: [] }) : ownTmp);
  }
  if (!isAbsolutePath(given)) {
    const message = `${field}: ${JSON.stringify(given)} is not an absolute path.`;
    return fail("invalid_args", message, { hint: "Give a directory in full." });
  }
  const { real, links } = resolvePath(given);
  const tidy = tidyPath(given);
  const inside = [tidy, real].find((path) => isWithin(path, workspaceRoot));
  if (inside !== undefined) {
    const isThere = () => isInWorkspace(inside, field, context);
    const problem = async () => ((await isThere()) ? null : missing(field, given));
    return checked({ path: inside, reads: [], links: [], problem });
  }
  const isGranted = fsGrantFor(capability, real, "r") !== undefined;
  if (tidy === "/tmp" && !isGranted) return ok(ownTmp);
  const place = onDisk(real, field, given, { reads: [real], links });
  return isGranted ? checked(place) : ok(place);
}

async function checked(place: WorkingDirectory): Promise<Result<WorkingDirectory>> {
  const problem = await place.problem();
  return problem === null ? ok(place) : { ok: false, failure: problem };
}

function onDisk(
  path: string,
  field: string,
  given: string,
  view: Pick<WorkingDirectory, "reads" | "links">,
): WorkingDirectory {
  const problem = async () => {
    if (isDirectory(path)) return null;
    if (!resolvePath(path).exists) return missing(field, given);
    const message = `${field}: ${JSON.stringify(given)} is not a directory.`;
    return failure("invalid_args", message, { hint: "Give a directory that exists." });
  };
  return { path, ...view, problem };
}

/** Directories of files in memory are where files are; an empty one is none. */
async function isInWorkspace(path: string, field: string, { workspace, files }: PlanContext): Promise<boolean> {
  if (workspace.kind === "directory") return isDirectory(workspace.path + path.slice(workspaceRoot.length));
  const parsed = parseWorkspaceDirectory(path, field);
  if (!parsed.ok || parsed.value === rootPath) return parsed.ok;
  const place = await files.resolve(parsed.value);
  return place.ok && (await files.isDirectory(place.value));
}

function missing(field: string, given: string): Failure {
  const message = `${field}: there is no directory ${JSON.stringify(given)}.`;
  return failure("invalid_args", message, { hint: "Give a directory that exists." });
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // not there, or no name that could be
  }
}
