// `pull` in a draft's directory: a new start of the draft, and the plan of moving the draft there. It is there only while the draft changes.
// Invariant: it appears all at once, and one process at a time works on it: the plan's name has the process, and whoever takes over from a
// process that is gone renames it.

import { renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { DirectoryHandle, openDirectory } from "../process/directory-handle.ts";
import { namesIn } from "../process/names-in.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { markOfThisProcess, mayBeAlive } from "../process/process-mark.ts";
import { errorCode } from "../shared/error-code.ts";
import { type DraftRecord, publishDraft, removeDraft } from "./draft-directory.ts";

/** Ids of commits. */
export interface PullPlan {
  /** HEAD of the session, before and after. */
  readonly tip: string;
  readonly newTip: string;
  /** The files of the session with what is not committed, before and after. */
  readonly work: string;
  readonly newWork: string;
}

const PREFIX = "plan-";
/** In place of a process: nobody works on it. */
const NOBODY = "0";
const PLAN_BYTES = 4096;

export function pullDirectory(draft: string): string {
  return `${draft}/pull`;
}

/** `from`: a new start. False if there is a pull already. */
export function publishPull(from: string, draft: string, plan: PullPlan, record: DraftRecord): boolean {
  writeFileSync(`${from}/${PREFIX}${markOfThisProcess()}`, JSON.stringify(plan), { mode: 0o600, flush: true });
  return publishDraft(from, pullDirectory(draft), record);
}

export type FoundPull = { readonly is: "none" | "in work" } | { readonly is: "ours"; readonly plan: PullPlan };

/** Takes over a pull whose process is gone. */
export function takePull(draft: string): FoundPull {
  const directory = pullDirectory(draft);
  const name = namesIn(directory).find((one) => one.startsWith(PREFIX));
  if (name === undefined) return { is: "none" };
  if (mayBeAlive(name.slice(PREFIX.length))) return { is: "in work" };
  const own = `${directory}/${PREFIX}${markOfThisProcess()}`;
  if (!renameIfThere(`${directory}/${name}`, own)) return { is: "in work" }; // another gate was faster
  const text = readPlainFile(own, PLAN_BYTES)?.toString("utf8");
  if (text === undefined) throw new Error(`${own} cannot be read`);
  return { is: "ours", plan: JSON.parse(text) as PullPlan };
}

/** Leaves the pull to the next call, if there still is one. */
export function leavePull(draft: string): void {
  const directory = pullDirectory(draft);
  renameIfThere(`${directory}/${PREFIX}${markOfThisProcess()}`, `${directory}/${PREFIX}${NOBODY}`);
}

/** The draft is what the new start was from here on. It may have been done before a process was killed. */
export function adoptRecord(draft: string): void {
  renameIfThere(`${pullDirectory(draft)}/seen`, `${draft}/seen`);
  rmSync(`${draft}/looked`, { force: true });
  renameIfThere(`${pullDirectory(draft)}/draft.json`, `${draft}/draft.json`);
}

export function removePull(draft: string): void {
  removeDraft(pullDirectory(draft), draft);
}

/** Removes the locks of a git that was killed. It follows no link. */
export function removeGitLocks(draft: string): void {
  const head = readPlainFile(`${draft}/git/HEAD`, PLAN_BYTES)?.toString("utf8").trim() ?? "";
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  removeLocks(`${draft}/git`, ["index", "HEAD", ...(ref === undefined ? [] : [ref])]);
  removeLocks(`${pullDirectory(draft)}/git`, ["view/index"]);
}

function removeLocks(git: string, names: readonly string[]): void {
  const handle = new DirectoryHandle(git, undefined, openDirectory);
  try {
    for (const name of names)
      handle.atPath(`${name}.lock`, (path) => {
        try {
          unlinkSync(path);
        } catch (error) {
          if (errorCode(error) === "") throw error; // it is not there
        }
      });
  } finally {
    handle.close();
  }
}

function renameIfThere(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
