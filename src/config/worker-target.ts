// Reads a git target in a worker file like one in a call, and reports errors with their line.

import { parseBranchName } from "../git/ref-name.ts";
import type { GitTarget } from "../git/target/target.ts";
import { parseGithubRepo, parseRemoteUrl } from "../git/target/url.ts";
import { isAbsolutePath, joinPath, tidyPath } from "../shared/path.ts";
import type { Result } from "../shared/result.ts";
import type { ConfigError } from "./config-error.ts";
import { expandPath } from "./grant-path.ts";
import type { RulesContext } from "./rules.ts";
import { fieldName } from "./field-name.ts";
import type { FieldPath } from "./source.ts";
import type { WorkerFile } from "./worker-schema.ts";

export function readWorkerTarget(
  written: NonNullable<WorkerFile["git"]["default_target"]>,
  at: FieldPath,
  { source, paths }: RulesContext,
): GitTarget | ConfigError {
  const error = (field: string, reason: string, hint: string): ConfigError =>
    source.errorAt([...at, field], `${fieldName([...at, field])}: ${reason}`, hint);
  const targetError = (field: string, read: Exclude<Result<unknown>, { ok: true }>): ConfigError =>
    error(field, read.failure.message.replace(/^\w+: /, "").replace(/\.$/, ""), read.failure.hint ?? "");
  let branch: string | undefined;
  if (written.branch !== undefined) {
    const read = parseBranchName(written.branch);
    if (!read.ok) return targetError("branch", read);
    branch = read.value;
  }
  switch (written.type) {
    case "remote": {
      const read = parseRemoteUrl(written.url);
      return read.ok ? { type: "remote", url: read.value.text, branch } : targetError("url", read);
    }
    case "github": {
      const read = parseGithubRepo(written.repo);
      return read.ok ? { type: "github", repo: read.value.text, branch } : targetError("repo", read);
    }
    case "local":
    case "local-bare": {
      const { path } = written;
      if (path.split("/").includes("..")) return error("path", "goes up with ..", "Write the path in full.");
      if (/^-|^[\w+.-]*::|^\w+:\/\//.test(path))
        return error("path", `${JSON.stringify(path.slice(0, 80))} is no path`, "For an address use type: remote.");
      const isRooted = isAbsolutePath(path) || /^~(?:\/|$)|^\$\{/.test(path);
      const expanded = isRooted ? expandPath(path, paths) : { path: joinPath(paths.project.real, path) };
      if ("reason" in expanded) return error("path", expanded.reason, expanded.hint);
      return { type: written.type, path: tidyPath(expanded.path), branch };
    }
  }
}

/** Null if the text is a path or a glob relative to a repository's root. */
export function pullPathProblem(path: string): string | null {
  if (isAbsolutePath(path)) return "begins with a slash";
  if (path.startsWith("-")) return "begins with a dash, like an option";
  if (path.startsWith(":")) return "begins with a colon, as git's own patterns do";
  if (path.split("/").includes("..")) return "goes up with ..";
  if (/\p{Cc}/u.test(path)) return "holds a control character";
  return null;
}
