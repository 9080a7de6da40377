// Finds the system's git, and checks that it is new enough.

import { runHelper } from "../process/start.ts";
import { isTrustedProgram } from "../process/trusted-program.ts";
import { fail, ok, type Result } from "../shared/result.ts";

const paths = ["/usr/bin/git", "/usr/local/bin/git", "/run/current-system/sw/bin/git"];

// Git has GIT_CONFIG_GLOBAL since 2.32. Ubuntu 22.04 has 2.34.
const OLDEST = { major: 2, minor: 34 };
const INSTALL = `Install git ${OLDEST.major}.${OLDEST.minor} or newer, like: sudo apt-get install -y git`;

let known: Result<string> | undefined;

/** Searches until git is found, then remembers the path. */
export function findGit(candidates: readonly string[] = paths): Result<string> {
  if (candidates !== paths) return findGitAmong(candidates);
  if (known?.ok !== true) known = findGitAmong(candidates);
  return known;
}

/** The first candidate that is new enough. */
function findGitAmong(candidates: readonly string[]): Result<string> {
  const found = candidates.filter(isTrustedProgram).map(checkVersion);
  return (
    found.find(({ ok: isNew }) => isNew) ?? found[0] ?? fail("tool_failed", "git is not installed.", { hint: INSTALL })
  );
}

function checkVersion(path: string): Result<string> {
  const version = /^git version (\d+)\.(\d+)/.exec(runHelper(path, ["--version"]).stdout);
  if (version === null)
    return fail("tool_failed", `${path} does not say which version of git it is.`, { hint: INSTALL });
  const [major, minor] = [Number(version[1]), Number(version[2])];
  const isOld = major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor);
  return isOld
    ? fail("tool_failed", `${path} is git ${major}.${minor}, which is too old.`, { hint: INSTALL })
    : ok(path);
}
