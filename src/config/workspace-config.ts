// The workspace that the configuration names: a draft, in memory, or a directory of this machine.

import type { AddedDirectory } from "../policy/grant-directories.ts";
import { displayText } from "../shared/display.ts";
import { isAbsolutePath, joinPath } from "../shared/path.ts";
import { type AgentGrant, hiddenProblem } from "./agent-grants.ts";
import { type ConfigError, fileError } from "./config-error.ts";
import type { ConfigPaths } from "./config-paths.ts";
import {
  directoryProblem,
  expandPath,
  type GrantedPath,
  linkProblem,
  type Problem,
  type Protected,
  protectedProblem,
  resolveGranted,
} from "./grant-path.ts";
import type { WorkspaceMount } from "./mounts.ts";
import type { ConfigFile } from "./schema.ts";
import type { Source } from "./source.ts";

export interface DraftConfig {
  readonly kind: "draft";
  /** The project. */
  readonly path: string;
  /** Whether somebody wrote that it is a draft. If not, it is in memory where there can be no draft. */
  readonly isWritten: boolean;
}

export type WorkspaceConfig = (
  | { readonly kind: "memory" }
  | { readonly kind: "directory"; readonly path: string }
  | DraftConfig
) & {
  readonly mounts: readonly WorkspaceMount[];
};

/** Once nothing is wrong with it. `project`: the real path. */
export function workspaceConfig(
  { kind, isWritten, path }: ResolvedWorkspace,
  mounts: readonly WorkspaceMount[],
  project: string,
): WorkspaceConfig {
  if (kind === "draft") return Object.freeze({ kind, path: project, isWritten, mounts: [] });
  return Object.freeze(
    path === null ? { kind: "memory", mounts } : { kind: "directory", path: path.resolved.real, mounts },
  );
}

/** Null if the configuration says that the workspace is no draft. */
export function draftConfig(workspace: WorkspaceConfig): DraftConfig | null {
  return workspace.kind === "draft" ? workspace : null;
}

/** For one program that somebody starts: where no other workspace is written it is a draft, or it cannot be had. */
export function workspaceOfRun(workspace: WorkspaceConfig): WorkspaceConfig {
  return workspace.kind === "draft" ? Object.freeze({ ...workspace, isWritten: true }) : workspace;
}

/** For whoever starts a program in it. */
export function describeWorkspaceOfRun(workspace: WorkspaceConfig): string {
  if (workspace.kind === "memory") return "files in memory, which begin empty";
  if (workspace.kind === "draft") return `a draft of ${displayText(workspace.path)}`;
  return `${displayText(workspace.path)} itself: what the program changes there lands when it ends`;
}

/** For a person. */
export function describeWorkspaceConfig(workspace: WorkspaceConfig): string {
  if (workspace.kind === "memory") return "in memory";
  if (workspace.kind === "draft")
    return `a draft: a private layer over ${displayText(workspace.path)}, at its own path${workspace.isWritten ? "" : "; in memory for agents that can have none"}`;
  return `${displayText(workspace.path)}, a directory of this machine: agents change it directly`;
}

/**
 * The directories that every agent is granted through the workspace: the workspace directory and the mounts. A draft is none of them: it
 * changes nothing on the disk.
 */
export function shownDirectories(workspace: WorkspaceConfig): AddedDirectory[] {
  return [
    ...(workspace.kind === "directory" ? [{ path: workspace.path, mode: "rw" as const }] : []),
    ...workspace.mounts.map(({ source }) => ({ path: source, mode: "r" as const })),
  ];
}

export interface ResolvedWorkspace {
  readonly kind: WorkspaceConfig["kind"];
  readonly isWritten: boolean;
  /** null: in memory, or a draft. */
  readonly path: GrantedPath | null;
  readonly errors: (grants: readonly AgentGrant[]) => ConfigError[];
}

/** A workspace directory is an rw grant for every agent. */
export function resolveWorkspace(
  file: ConfigFile,
  source: Source,
  paths: ConfigPaths,
  guarded: Protected,
  flag: string | undefined,
): ResolvedWorkspace {
  const written = flag ?? file.workspace?.kind;
  const kind = written ?? "draft";
  const isWritten = written !== undefined;
  if (kind === "memory" || kind === "draft") return { kind, isWritten, path: null, errors: () => [] };
  const name = flag === undefined ? "workspace.path" : "--workspace";
  const errorOf = ({ reason, hint }: Problem): ConfigError => {
    const message = `${name}: ${reason}`;
    return flag === undefined ? source.errorAt(["workspace", "path"], message, hint) : fileError(null, message, hint);
  };
  const directory = file.workspace?.kind === "directory" ? file.workspace.path : "";
  const expanded = flag === undefined ? expandPath(directory, paths) : expandFlag(flag);
  if ("reason" in expanded) return { kind: "directory", isWritten, path: null, errors: () => [errorOf(expanded)] };
  const path = resolveGranted(name, expanded.path, "rw");
  return {
    kind: "directory",
    isWritten,
    path,
    errors: (grants) => {
      const problem =
        protectedProblem(path, guarded) ??
        linkProblem(path, [...grants, path]) ??
        directoryProblem(path.resolved) ??
        hiddenProblem(path.resolved.real, grants);
      return problem === undefined ? [] : [errorOf(problem)];
    },
  };
}

/** A path from the command line is relative to the current directory; the shell has expanded the rest. */
function expandFlag(path: string): { readonly path: string } | Problem {
  if (path === "") return { reason: "empty", hint: "Write draft, memory, or a directory." };
  return { path: isAbsolutePath(path) ? path : joinPath(process.cwd(), path) };
}
