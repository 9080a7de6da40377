// Resolves the grants of every agent, and checks them against each other and against the paths that may never be granted.

import { hidesUntracked, isHidden } from "../policy/capability.ts";
import { parseGlob } from "../shared/glob.ts";
import type { ConfigError } from "./config-error.ts";
import {
  expandPath,
  type GrantedPath,
  linkProblem,
  type Problem,
  type Protected,
  protectedProblem,
  resolveGranted,
} from "./grant-path.ts";
import type { ConfigPaths } from "./config-paths.ts";
import { fieldName } from "./field-name.ts";
import type { ConfigFile } from "./schema.ts";
import type { FieldPath, Source } from "./source.ts";

export interface AgentGrant extends GrantedPath {
  readonly agent: string;
  readonly at: FieldPath;
  readonly hide: readonly string[];
}

export interface AgentGrants {
  readonly grants: readonly AgentGrant[];
  readonly errors: readonly ConfigError[];
  readonly notes: readonly string[];
}

/** `others` are paths that agents get besides their grants, such as the workspace's directory. */
export function resolveAgentGrants(
  file: ConfigFile,
  source: Source,
  paths: ConfigPaths,
  guarded: Protected,
  others: readonly GrantedPath[],
  isBuiltIn: boolean,
): AgentGrants {
  const errors: ConfigError[] = [];
  const notes: string[] = [];
  const report = (at: FieldPath, { reason, hint }: Problem) => {
    // The built-in defaults must work on every machine: grants that are impossible there are left out, with a note.
    if (isBuiltIn)
      notes.push(
        `Not granted by default: ${reason}. Work in a narrower directory, name one with --project, or write a configuration file.`,
      );
    else errors.push(source.errorAt(at, `${fieldName(at)}: ${reason}`, hint));
  };

  const grants: AgentGrant[] = [];
  for (const [agent, { fs_grants }] of Object.entries(file.agents)) {
    for (const [index, { path, mode, hide, tracked }] of fs_grants.entries()) {
      const at = ["agents", agent, "fs_grants", index];
      const expanded = expandPath(path, paths);
      if ("reason" in expanded) {
        report([...at, "path"], expanded);
        continue;
      }
      const hidden = tracked === "shown" ? hide.map(hidesUntracked) : hide;
      const grant = { ...resolveGranted(fieldName(at), expanded.path, mode), agent, at, hide: hidden };
      const problem = protectedProblem(grant, guarded);
      if (problem === undefined) grants.push(grant);
      else report([...at, "path"], problem);
      for (const [number, pattern] of hide.entries()) {
        const wrong = hideProblem(pattern);
        if (wrong !== undefined) report([...at, "hide", number], wrong);
      }
    }
  }

  const kept = grants.filter((grant) => {
    const problem =
      linkProblem(grant, [...grants, ...others]) ?? (isBuiltIn ? undefined : meetingProblem(grant, grants));
    if (problem !== undefined) report([...grant.at, "path"], problem);
    return problem === undefined;
  });
  return { grants: kept, errors, notes };
}

export function hideProblem(pattern: string): Problem | undefined {
  if (pattern.includes("\0")) return { reason: "holds a NUL character", hint: "No name can." };
  if (pattern.startsWith("!")) {
    return {
      reason: `${JSON.stringify(pattern)} would un-hide, which hide cannot`,
      hint: "Write narrower patterns, or \\! for a name that begins with it.",
    };
  }
  const parsed = parseGlob(pattern);
  return parsed.ok ? undefined : { reason: parsed.failure.message, hint: parsed.failure.hint ?? "" };
}

/** Finds two grants of one agent on the same path, or one inside a path that the other hides. */
function meetingProblem(grant: AgentGrant, grants: readonly AgentGrant[]): Problem | undefined {
  const others = grants.filter((other) => other.agent === grant.agent && other !== grant);
  const same = others.find(
    (other) => other.resolved.real === grant.resolved.real && grants.indexOf(other) < grants.indexOf(grant),
  );
  if (same !== undefined)
    return { reason: `${grant.resolved.real} is granted by ${same.name} already`, hint: "Keep one of the two." };
  return hiddenProblem(grant.resolved.real, others);
}

/** Finds a path that should be shown but is hidden by a grant. */
export function hiddenProblem(real: string, grants: readonly AgentGrant[]): Problem | undefined {
  const hider = grants.find(({ resolved, mode, hide }) =>
    isHidden({ fsGrants: [{ path: resolved.real, mode, hide }] }, real),
  );
  if (hider === undefined) return undefined;
  return {
    reason: `${real} lies in what ${hider.name} hides`,
    hint: "Take the pattern out of hide, or leave this grant out.",
  };
}
