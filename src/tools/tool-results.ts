// The results of the tools that the gate brings, by the tool's name, for programs that are type checked. The schemas of the tools are what is
// checked at run time; a test compares the two.

import type { ExecutionResult } from "./programs/execution-result.ts";

type FileStatus = { readonly path: string; readonly status: "new" | "modified" | "deleted" };
type CommitName = { readonly id: string; readonly message: string };

// Types and not interfaces: only so is each also a Record<string, unknown>.
type StagedCommit = {
  readonly id: string;
  readonly message: string;
  readonly files: {
    readonly sandboxPath: string;
    readonly operation: "create" | "update" | "delete";
    readonly contentHash: string;
    readonly size: number;
  }[];
  readonly createdAt: string;
  readonly commits?: CommitName[];
  readonly moreCommits?: number;
  readonly moreFiles?: number;
};

export type ToolResults = {
  readonly Exec: ExecutionResult;
  readonly Bash: ExecutionResult;
  readonly Python: ExecutionResult;
  readonly Git: ExecutionResult & { readonly op: string; readonly cmd: string[] };
  readonly Shell: {
    readonly success: boolean;
    readonly results: (
      | (ExecutionResult & { readonly command: string; readonly argv: string[] })
      | { readonly command: string; readonly error: string; readonly message: string; readonly hint?: string }
    )[];
  };
  readonly read_file: {
    readonly content: string;
    readonly encoding: "utf8" | "base64";
    readonly size: number;
    readonly total_lines?: number;
  };
  readonly write_file: {
    readonly path: string;
    readonly operation: "create" | "update" | "unchanged";
    readonly size: number;
  };
  readonly edit_file: { readonly path: string; readonly size: number };
  readonly delete_file: { readonly path: string };
  readonly list_files: {
    readonly files: { readonly path: string; readonly size: number; readonly executable: boolean }[];
    readonly more: boolean;
  };
  readonly search_files: {
    readonly matches: { readonly path: string; readonly line: number; readonly text: string }[];
    readonly more: boolean;
    readonly stopped?: "limit" | "size" | "time";
    readonly ignored?: number;
  };
  readonly git_status: {
    readonly staged: StagedCommit[];
    readonly unstaged: FileStatus[];
    readonly more?: number;
    readonly moreStaged?: number;
    readonly commits?: CommitName[];
    readonly moreCommits?: number;
    readonly inProject?: FileStatus[];
    readonly moreInProject?: number;
    readonly ignored?: number;
  };
  readonly git_stage: StagedCommit;
  readonly git_diff: {
    readonly diff: string;
    readonly more?: number;
    readonly leftOut?: string[];
    readonly hint?: string;
    readonly ignored?: number;
  };
  readonly git_push: {
    readonly commitSha: string;
    readonly branch: string;
    readonly createdBranch: boolean;
    readonly previousSha: string | null;
    readonly target: string;
    readonly filesChanged: number;
    readonly commits?: string[];
    readonly notes?: string[];
  };
  readonly git_discard: Readonly<Record<string, never>>;
};

/** What a call of this tool gives. Of a tool that is not the gate's own, or whose name is not known, only that it has fields. */
export type ResultOf<Name extends string> = Name extends keyof ToolResults
  ? ToolResults[Name]
  : Record<string, unknown>;
