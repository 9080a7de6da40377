// How much of the disk a draft takes, in all its calls together. Counting its files takes long, so the gate adds up what each call may
// have added, and counts only when that sum passes the bound. The sum is in DRAFT/used, one number for each line.

import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { runWithInput } from "../process/start.ts";
import { errorCode } from "../shared/error-code.ts";
import { limits } from "../shared/limits.ts";
import type { KeeperCommand } from "./draft-holder.ts";
import { keptBeside } from "./kept-home.ts";
import { freeBytes } from "./free-bytes.ts";

export const DRAFT_FULL =
  "The draft has reached limits.draft_mb, the most that it may have on the disk: files, git directory and HOME together. Delete what is not needed. A person can raise it in the configuration of the agent.";

/** At least the bytes that the draft takes, but for what was missed between two looks. */
export function readDraftUse(directory: string): number {
  try {
    const lines = readFileSync(`${directory}/used`, "utf8").split("\n");
    return lines.reduce((sum, line) => sum + Number(line), 0);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return 0;
  }
}

export function addDraftUse(directory: string, bytes: number): void {
  if (bytes > 0) tryNote(() => appendFileSync(`${directory}/used`, `${Math.ceil(bytes)}\n`, { mode: 0o600 }));
}

/** Counts, with a HOME that outlives the draft. Null if it cannot be counted. */
async function countDraftUse(directory: string, command: KeeperCommand): Promise<number | null> {
  const kept = keptBeside(directory);
  const sums = await Promise.all((kept === null ? [directory] : [directory, kept]).map((one) => measure(one, command)));
  if (sums.includes(null)) return null;
  const counted = sums.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  const next = `${directory}/used.${process.pid}`;
  tryNote(() => {
    writeFileSync(next, `${counted}\n`, { mode: 0o600 });
    renameSync(next, `${directory}/used`);
  });
  return counted;
}

async function measure(directory: string, command: KeeperCommand): Promise<number | null> {
  const { exitCode, stdout } = await runWithInput(command(["measure", directory]), []);
  return exitCode === 0 ? Number(stdout) : null;
}

/** A full disk must not keep an agent from deleting files. */
export function tryNote(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (errorCode(error) === "") throw error;
  }
}

/** Watches one call. */
export class DraftUse {
  readonly #directory: string;
  readonly #command: KeeperCommand;
  readonly #most: number;
  /** The bytes of the draft when they were counted last, or at the start, and the facts of that moment. */
  #before: number;
  #writtenBefore = 0;
  /** Null if it cannot be looked up. */
  #free: number | null;
  #nextCount = 0;

  private constructor(directory: string, command: KeeperCommand, before: number, most: number) {
    this.#directory = directory;
    this.#command = command;
    this.#before = before;
    this.#most = most;
    this.#free = freeBytes(directory);
  }

  /** A draft that has more than `bytes` already may still grow a little: git writes when files are deleted. */
  static async begin(directory: string, command: KeeperCommand, bytes: number): Promise<DraftUse> {
    const sum = readDraftUse(directory);
    const before = sum <= bytes ? sum : ((await countDraftUse(directory, command)) ?? sum);
    const most = before <= bytes ? bytes : Math.max(bytes + limits.draftOverBytes, before + limits.draftStepBytes);
    return new DraftUse(directory, command, before, most);
  }

  /** Whether the draft has too much. `written`: by the call, as far as the kernel counts it. */
  async isOver(written: number): Promise<boolean> {
    if (this.#before + this.#growth(written) <= this.#most || Date.now() < this.#nextCount) return false;
    const begun = Date.now();
    const counted = await countDraftUse(this.#directory, this.#command);
    this.#nextCount = Date.now() + 10 * (Date.now() - begun);
    if (counted === null || counted > this.#most) return true;
    this.#before = counted;
    this.#writtenBefore = written;
    this.#free = freeBytes(this.#directory);
    return false;
  }

  end(written: number): void {
    addDraftUse(this.#directory, this.#growth(written));
  }

  /** The kernel does not count space that is reserved, nor children that nobody waits for. Others use the same disk. */
  #growth(written: number): number {
    const free = freeBytes(this.#directory);
    const fallen = free === null || this.#free === null ? 0 : this.#free - free;
    return Math.max(written - this.#writtenBefore, fallen);
  }
}
