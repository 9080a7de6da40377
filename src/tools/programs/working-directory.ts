// Resolves the directory in which a program starts. It checks the grant first and then whether the directory exists, so that an agent
// learns nothing about directories that it may not see. A directory that is not granted yet is checked after somebody has said yes.

import type { ViewLink } from "../../action/action.ts";
import { fsGrantFor } from "../../policy/capability.ts";
import { isAbsolutePath, tidyPath } from "../../shared/path.ts";
import { type Failure, failure } from "../../shared/failure.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { DiskPaths, PlanContext } from "../tool.ts";

/** What the box must show for it. */
interface PathsInView {
  readonly reads: readonly string[];
  readonly links: readonly ViewLink[];
}

export interface WorkingDirectory extends PathsInView {
  readonly path: string;
  /** Why no program can start there. Call this only if the agent may see the directory. */
  problem(): Promise<Failure | null>;
}

const ownTmp: WorkingDirectory = { path: "/tmp", reads: [], links: [], problem: async () => null };

export async function resolveWorkingDirectory(
  written: string | undefined,
  field: string,
  context: PlanContext,
): Promise<Result<WorkingDirectory>> {
  const { capability, project, workspace, disk } = context;
  if (written === undefined && !workspace.contains(project)) {
    const isProject = fsGrantFor(capability, project, "r") !== undefined && disk.isDirectory(project);
    return ok(isProject ? onDisk(project, field, project, { reads: [], links: [] }, disk) : ownTmp);
  }
  return await resolveWritten(written ?? project, field, context);
}

async function resolveWritten(written: string, field: string, context: PlanContext): Promise<Result<WorkingDirectory>> {
  const { capability, workspace, disk } = context;
  if (!isAbsolutePath(written)) {
    const message = `${field}: ${JSON.stringify(written)} is not an absolute path.`;
    return fail("invalid_args", message, { hint: "Give a directory in full." });
  }
  const { real, links } = disk.resolve(written);
  const tidy = tidyPath(written);
  const inside = [tidy, real].find((path) => workspace.contains(path));
  if (inside !== undefined) {
    const problem = async () => ((await workspace.isDirectory(inside)) ? null : missing(field, written));
    return checked({ path: inside, reads: [], links, problem });
  }
  const isGranted = fsGrantFor(capability, real, "r") !== undefined;
  if (tidy === "/tmp" && !isGranted) return ok(ownTmp);
  const directory = onDisk(real, field, written, { reads: [real], links }, disk);
  return isGranted ? checked(directory) : ok(directory);
}

async function checked(directory: WorkingDirectory): Promise<Result<WorkingDirectory>> {
  const problem = await directory.problem();
  return problem === null ? ok(directory) : { ok: false, failure: problem };
}

function onDisk(path: string, field: string, written: string, view: PathsInView, disk: DiskPaths): WorkingDirectory {
  const problem = async () => {
    if (disk.isDirectory(path)) return null;
    if (!disk.resolve(path).exists) return missing(field, written);
    const message = `${field}: ${JSON.stringify(written)} is not a directory.`;
    return failure("invalid_args", message, { hint: "Give a directory that exists." });
  };
  return { path, ...view, problem };
}

function missing(field: string, written: string): Failure {
  const message = `${field}: there is no directory ${JSON.stringify(written)}.`;
  return failure("invalid_args", message, { hint: "Give a directory that exists." });
}
