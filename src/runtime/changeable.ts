// SECURITY(T26): hashes programs and scripts that the agent itself can change. A person's yes is for the bytes at that moment, so the
// hashes are part of the action.

import type { Action, FileContent, Step } from "../action/action.ts";
import type { Effect, RunEffect } from "../action/effect.ts";
import { codeOperands } from "../approval/runs-other-code.ts";
import { fsGrantFor } from "../policy/capability.ts";
import { realPathOf } from "../policy/workspace-real-path.ts";
import { type Failure, failure } from "../shared/failure.ts";
import { isAbsolutePath, joinPath } from "../shared/path.ts";
import type { PlanContext } from "../tools/tool.ts";
import { readThrough } from "../tools/files/workspace-file.ts";
import type { WorkspaceLocation } from "../workspace/location.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Machine } from "./machine.ts";

export interface ContentContext {
  readonly files: Workspace;
  readonly workspace: WorkspaceLocation;
}

/** The files that the steps would start or interpret, including those behind a wrapper or in a script if the effects show them. */
export async function changeableContents(
  { steps, effects: ofCall }: { readonly steps: readonly Step[]; readonly effects: readonly Effect[] },
  ofSteps: readonly (readonly Effect[])[],
  context: PlanContext,
  machine: Machine,
): Promise<FileContent[]> {
  const paths = new Set<string>();
  for (const [index, { cwd }] of steps.entries()) {
    const effects = [...(ofSteps[index] ?? []), ...ofCall];
    for (const word of effects.filter((effect) => effect.kind === "run").flatMap(startedWords)) {
      const path = changeablePath(word, cwd, context, machine);
      if (path !== null) paths.add(path);
    }
  }
  const contents: FileContent[] = [];
  for (const path of paths) {
    const sha256 = await hashOf(path, context, machine);
    if (sha256 !== null) contents.push({ path, sha256 });
  }
  return contents;
}

/** A failure if one of the files has other content than was judged. */
export async function changedContent(
  { contents }: Action,
  context: ContentContext,
  machine: Machine,
): Promise<Failure | null> {
  for (const { path, sha256 } of contents)
    if ((await hashOf(path, context, machine)) !== sha256)
      return failure("changed", `${path} is not what it was when this call was judged.`, {
        hint: "Call again: it will be judged anew.",
      });
  return null;
}

/** The hash of the workspace's file, or of the machine's file if the path is not the workspace's. */
async function hashOf(
  path: string,
  { files, workspace }: ContentContext,
  { hashes, hashFile }: Machine,
): Promise<string | null> {
  const own = workspace.ownFile(path);
  if (own === null) return hashFile(path);
  const file = own.ok ? await readThrough(own.value, files) : own;
  return file.ok ? hashes.hex("sha256", file.value.bytes) : null;
}

/** The words of a command that may name files of code. */
function startedWords({ program, argv }: RunEffect): string[] {
  const names = [program, argv[0] ?? null].filter((word) => word !== null);
  return [...names, ...names.flatMap((name) => codeOperands(name, argv.slice(1)))];
}

/** Null if the word names no file that the agent can change. */
function changeablePath(word: string, cwd: string, context: PlanContext, machine: Machine): string | null {
  if (word === "" || word.startsWith("-") || word.includes("\0") || word.length > 4_095) return null;
  const path = realPathOf(isAbsolutePath(word) ? word : joinPath(cwd, word), context);
  if (context.workspace.ownFile(path) !== null) return path;
  const { real } = machine.disk.resolve(path);
  return fsGrantFor(context.capability, real, "rw") === undefined ? null : real;
}
