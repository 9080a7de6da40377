// The system's git: where it is, and whether it is new enough.

import { runHelper } from "../process/start.ts";
import { isTrustedProgram } from "../process/trusted-program.ts";
import { fail, ok, type Result } from "../shared/result.ts";

const places = ["/usr/bin/git", "/usr/local/bin/git", "/run/current-system/sw/bin/git"];

// The oldest whose options and environment the command lines here were tried with.
const OLDEST = [2, 34];

let known: Result<string> | undefined;

/** Looked for once; a git that is installed later is found by the next gate. */
export function findGit(candidates: readonly string[] = places): Result<string> {
  if (candidates !== places) return lookForGit(candidates);
  known ??= lookForGit(candidates);
  return known;
}

function lookForGit(candidates: readonly string[]): Result<string> {
  const path = candidates.find(isTrustedProgram);
  if (path === undefined) return fail("tool_failed", "git is not installed.", { hint: "sudo apt-get install -y git" });
  const version = /(\d+)\.(\d+)/.exec(runHelper(path, ["--version"]).stdout);
  const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
  const isOld = major < (OLDEST[0] as number) || (major === OLDEST[0] && minor < (OLDEST[1] as number));
  if (isOld) return fail("tool_failed", `git ${major}.${minor} is too old; ${OLDEST.join(".")} is needed.`, { hint: "sudo apt-get install -y git" });
  return ok(path);
}
