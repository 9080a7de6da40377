// `pull` in a draft's directory: a new start of the draft, and the plan of moving the draft there. It is there only while the draft changes.
// Invariant: it appears all at once, and one gate at a time works on it. Who works on it has its pipe open, which the kernel closes with the
// process, in whatever container that was. Whoever takes over renames the plan, which only one can.

import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { DirectoryHandle, openDirectory } from "../process/directory-handle.ts";
import { namesIn } from "../process/names-in.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { errorCode } from "../shared/error-code.ts";
import { type DraftRecord, publishDraft, removeDraft } from "./draft-directory.ts";
import { renameIfThere } from "./rename-if-there.ts";

/** Ids of commits. */
export interface PullPlan {
  /** HEAD of the session, before and after. */
  readonly tip: string;
  readonly newTip: string;
  /** The files of the session with what is not committed, before and after. */
  readonly work: string;
  readonly newWork: string;
}

/** The right to work on a pull. */
export interface PullTurn {
  readonly plan: PullPlan;
  /** If the pull is still there, it is left to the next call. */
  end(): void;
}

const PREFIX = "plan-";
const PLAN_BYTES = 4096;

export function pullDirectory(draft: string): string {
  return `${draft}/pull`;
}

/** `from`: a new start that nobody holds. Null if there is a pull already. */
export function publishPull(from: string, draft: string, plan: PullPlan, record: DraftRecord): PullTurn | null {
  const turn = turnIn(from, plan);
  writeFileSync(`${from}/${newName()}`, JSON.stringify(plan), { mode: 0o600, flush: true });
  if (publishDraft(from, pullDirectory(draft), record)) return turn;
  turn.end();
  return null;
}

export type FoundPull = { readonly is: "none" | "in work" } | { readonly is: "ours"; readonly turn: PullTurn };

/** Takes over a pull on which nobody works. */
export function takePull(draft: string): FoundPull {
  const directory = pullDirectory(draft);
  const name = namesIn(directory).find((one) => one.startsWith(PREFIX));
  if (name === undefined) return { is: "none" };
  if (isInWork(directory)) return { is: "in work" };
  const text = readPlainFile(`${directory}/${name}`, PLAN_BYTES)?.toString("utf8");
  if (text === undefined) return { is: "in work" }; // another gate was faster
  const turn = turnIn(directory, JSON.parse(text) as PullPlan);
  if (renameIfThere(`${directory}/${name}`, `${directory}/${newName()}`)) return { is: "ours", turn };
  turn.end();
  return { is: "in work" };
}

const newName = () => `${PREFIX}${randomBytes(8).toString("hex")}`;

/** Opens the pipe that the new start's holder had open before. */
function turnIn(directory: string, plan: PullPlan): PullTurn {
  const pipe = openSync(pipeOf(directory), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  return { plan, end: () => closeSync(pipe) };
}

function isInWork(directory: string): boolean {
  try {
    closeSync(openSync(pipeOf(directory), constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW));
    return true;
  } catch (error) {
    if (errorCode(error) === "ENXIO") return false; // nobody has the other end open
    if (errorCode(error) === "ENOENT") return true; // it is being removed
    throw error;
  }
}

const pipeOf = (directory: string) => `${directory}/users`;

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
