// The files that others execute later, as a finished call wrote them: what a person is shown, and what lands after the yes.
// Invariant: a file is whole, or the list is refused with the reason. The bytes that are compared after the yes are read anew.

import { lstatSync, readlinkSync } from "node:fs";
import type { LateFile } from "../../action/action.ts";
import { isRepositoryPart } from "../../policy/executed-later.ts";
import { DirectoryHandle } from "../../process/directory-handle.ts";
import { readPlainFile } from "../../process/plain-file.ts";
import { limits } from "../../shared/limits.ts";
import { isWithin, joinPath } from "../../shared/path.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { ChangedPlace, HeldBack } from "./landing-plan.ts";
import type { LandingStep } from "./landing-step.ts";
import type { LayerEntry } from "./layer-changes.ts";

/** The changes of one place below these real paths. What was deleted with a directory above has no entry of its own. */
export function lateEntries(
  entries: readonly LayerEntry[],
  { directory }: ChangedPlace,
  held: readonly HeldBack[],
): LayerEntry[] {
  const inside = held.filter(({ path, part }) => part !== null && path !== directory && isWithin(path, directory));
  return inside.flatMap(({ path }) => {
    const own = entries.filter((entry) => isWithin(joinPath(directory, entry.path), path));
    const gone: LayerEntry = { kind: "gone", path: path.slice(directory.length + 1) };
    return own.length > 0 ? own : [gone];
  });
}

/** What the steps put and delete. Directories follow from it. */
export function readLateFiles(
  steps: readonly LandingStep[],
  placeOfStep: (index: number) => ChangedPlace,
): Result<LateFile[]> {
  const files: LateFile[] = [];
  let left: number = limits.questionBytes;
  for (const step of steps) {
    if (step.op !== "put" && step.op !== "delete") continue;
    const { directory, upper } = placeOfStep(step.place);
    const path = joinPath(directory, step.path);
    // SECURITY(T08): no yes lets a git directory land.
    if (path.split("/").some((name) => isRepositoryPart(name))) return refuse(path, "is in a git directory");
    if (step.op === "delete") {
      files.push({ path, operation: "delete", mode: null, text: null });
      continue;
    }
    if (step.size > left) return fail("tool_failed", "It is too long to be shown to a person whole.");
    left -= step.size;
    const read = readOne(upper, step.path);
    if (read === null) return refuse(path, "is not text, and cannot be shown to a person whole");
    files.push({ path, operation: step.before === null ? "create" : "update", ...read });
  }
  return ok(files);
}

function refuse(path: string, why: string): Result<never> {
  return fail("tool_failed", `${path} ${why}.`);
}

function readOne(upper: string, path: string): { readonly mode: string; readonly text: string } | null {
  const handle = new DirectoryHandle(upper);
  try {
    return (
      handle.atPath(path, (at) => {
        const found = lstatSync(at);
        if (found.isSymbolicLink()) return textOf(readlinkSync(at, "buffer"), "link");
        const bytes = readPlainFile(at, limits.questionBytes);
        return bytes === null ? null : textOf(bytes, (found.mode & 0o777).toString(8).padStart(3, "0"));
      }) ?? null
    );
  } finally {
    handle.close();
  }
}

function textOf(bytes: Uint8Array, mode: string): { readonly mode: string; readonly text: string } | null {
  try {
    return { mode, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return null;
  }
}
