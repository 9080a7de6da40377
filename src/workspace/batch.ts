// Checks a batch of changes as a whole before any of them is made: the result must be a tree within the limits. If one change is
// refused, the whole batch is refused.

import { fail, ok, type Result } from "../shared/result.ts";
import { parseLinkTarget } from "./link.ts";
import { byteLength, parentsOf, type WorkspacePath } from "./path.ts";
import type {
  AppliedChange,
  Change,
  DeleteChange,
  WorkspaceEntry,
  LinkChange,
  Usage,
  WorkspaceLimits,
} from "./workspace.ts";

/** The state that the batch is applied to. */
export interface BatchContext {
  readonly limits: WorkspaceLimits;
  readonly usage: Usage;
  entryAt(path: WorkspacePath): WorkspaceEntry | undefined;
  /** The number of entries below the directory. */
  countBelow(path: WorkspacePath): number;
  /** Whether the change would leave the entry as it is. */
  isSame(entry: WorkspaceEntry, change: Change): boolean;
}

export interface BatchStep {
  readonly change: Change;
  readonly before: WorkspaceEntry | undefined;
  readonly applied: AppliedChange;
}

export interface Batch {
  /** One for each change, in the same order. */
  readonly steps: readonly BatchStep[];
  /** The usage after the batch. */
  readonly usage: Usage;
}

export function planBatch(changes: readonly Change[], context: BatchContext): Result<Batch> {
  const steps: BatchStep[] = [];
  const after = new Map<WorkspacePath, Change["operation"]>();
  const deletedBelow = new Map<WorkspacePath, number>();
  let { files, bytes } = context.usage;
  for (const change of changes) {
    const { path } = change;
    if (after.has(path)) return fail("invalid_args", `${path} is there twice among the changes.`);
    after.set(path, change.operation);
    const before = context.entryAt(path);
    const problem = staleness(change, before) ?? contentProblem(change, context.limits);
    if (problem !== undefined) return problem;
    if (change.operation === "delete" && before !== undefined) {
      for (const parent of parentsOf(path)) deletedBelow.set(parent, (deletedBelow.get(parent) ?? 0) + 1);
    }
    const size = sizeOf(change);
    files += (change.operation === "delete" ? 0 : 1) - (before === undefined ? 0 : 1);
    bytes += size - (before?.size ?? 0);
    const isSame = before !== undefined && context.isSame(before, change);
    steps.push({ change, before, applied: { path, operation: operationOf(change, before, isSame), size } });
  }
  for (const { change } of steps) {
    if (change.operation === "delete") continue;
    const problem = placeProblem(change.path, after, context, deletedBelow.get(change.path) ?? 0);
    if (problem !== undefined) return problem;
  }
  return capacityProblem({ files, bytes }, context) ?? ok({ steps, usage: { files, bytes } });
}

function operationOf(change: Change, before: WorkspaceEntry | undefined, isSame: boolean): AppliedChange["operation"] {
  if (change.operation === "delete") return before === undefined ? "unchanged" : "delete";
  if (before === undefined) return "create";
  return isSame ? "unchanged" : "update";
}

function staleness(change: Change, before: WorkspaceEntry | undefined): Result<never> | undefined {
  if (change.basedOn === undefined || change.basedOn === (before?.version ?? 0)) return undefined;
  const what = change.basedOn === 0 ? "was made" : before === undefined ? "was deleted" : "was changed";
  return fail("conflict", `${change.path} ${what} by someone else meanwhile.`, {
    hint: "Read it again, then try again.",
  });
}

function contentProblem(change: Change, { fileBytes }: WorkspaceLimits): Result<never> | undefined {
  if (change.operation === "link") {
    const target = parseLinkTarget(change.path, change.target);
    return target.ok ? undefined : target;
  }
  if (change.operation === "delete" || change.bytes.length <= fileBytes) return undefined;
  return fail("tool_failed", `${change.path} has ${change.bytes.length} bytes; a file may have ${fileBytes}.`, {
    hint: "Write it in parts, or leave out what can be made again.",
  });
}

/** A file cannot replace a directory, and cannot lie below a file or a link. */
function placeProblem(
  path: WorkspacePath,
  after: ReadonlyMap<WorkspacePath, Change["operation"]>,
  context: BatchContext,
  deletedBelow: number,
): Result<never> | undefined {
  for (const parent of parentsOf(path)) {
    const operation = after.get(parent);
    const entry = operation === undefined ? context.entryAt(parent) : undefined;
    const isTaken = operation === undefined ? entry !== undefined : operation !== "delete";
    if (!isTaken) continue;
    const kind = operation === "link" || entry?.kind === "symlink" ? "link" : "file";
    return fail("conflict", `${path} cannot be made: ${parent} is a ${kind}, not a directory.`, {
      hint: `Delete ${parent} first, or choose another path.`,
    });
  }
  if (context.countBelow(path) <= deletedBelow) return undefined;
  return fail("conflict", `${path} is a directory with files in it.`, {
    hint: "Delete what is in it first, or choose another path.",
  });
}

function capacityProblem(after: Usage, { limits, usage }: BatchContext): Result<never> | undefined {
  const hint = "Delete what is no longer needed, or what can be made again.";
  // A workspace may already exceed its limits, for example a directory on disk. A batch that makes it smaller is allowed.
  if (after.files > limits.fileCount && after.files > usage.files)
    return fail("tool_failed", `The workspace would have ${after.files} files; it may have ${limits.fileCount}.`, {
      hint,
    });
  if (after.bytes > limits.totalBytes && after.bytes > usage.bytes)
    return fail("tool_failed", `The workspace would have ${after.bytes} bytes; it may have ${limits.totalBytes}.`, {
      hint,
    });
  return undefined;
}

function sizeOf(change: Change): number {
  if (change.operation === "write") return change.bytes.length;
  return change.operation === "link" ? byteLength(change.target) : 0;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}

/** Whether a change other than a write would leave the entry as it is. */
export function isSameLink(entry: WorkspaceEntry, change: LinkChange | DeleteChange): boolean {
  return change.operation === "link" && entry.kind === "symlink" && entry.target === change.target;
}
