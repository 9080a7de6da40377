// Finds out whether this machine can mount drafts of a project in a state directory, by mounting an empty one for a moment. It depends on
// both disks: an upper layer cannot lie on a container's own disk, for example.

import { arch } from "node:os";
import { makeDirectories } from "../process/make-directories.ts";
import { runHelper } from "../process/start.ts";
import { errorCode } from "../shared/error-code.ts";
import { limits } from "../shared/limits.ts";
import { removeDraft, unfinishedDraft } from "./draft-directory.ts";
import { holdArguments, roomOf } from "./keeper-program.ts";
import { nativeProgramPath, readNativeProgram } from "./native-program.ts";

/** Why drafts cannot be mounted. Null if they can. */
export function draftTrialProblem(project: string, stateDirectory: string): string | null {
  try {
    readNativeProgram("keeper", arch());
  } catch (error) {
    return error instanceof Error ? error.message : String(error); // it is not started without its pinned hash
  }
  const directory = unfinishedDraft(`${stateDirectory}/drafts/try`, "begin");
  try {
    for (const name of ["upper", "work"]) makeDirectories(`${directory}/${name}`, 0o700);
    makeDirectories(roomOf(directory), 0o700);
    const [, ...words] = holdArguments(project, directory);
    const { exitCode, stderr } = runHelper(nativeProgramPath("keeper", arch()), ["try", ...words], limits.draftTrialMs);
    if (exitCode === 0) return null;
    if (exitCode === null)
      return `a trial mount in ${stateDirectory} had not ended after ${limits.draftTrialMs / 1000} s: the disk may be busy`;
    return `the kernel mounts no layer over it with its changes in ${stateDirectory} (${stderr.trim() || "no reason given"})`;
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return `no directory can be made in ${stateDirectory} (${errorCode(error)})`;
  } finally {
    removeDraft(directory);
  }
}
