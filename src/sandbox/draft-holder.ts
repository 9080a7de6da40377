// The process that keeps the layer of a draft mounted for all calls of all gates of the session.
// Invariant: a layer is mounted at most once. The holder locks the draft, lives as long as a gate or a box uses the draft, and ends by
// itself. Outside of its namespaces nobody sees the mount.

import { closeSync, constants, existsSync, openSync, readFileSync } from "node:fs";
import type { BoxCommandLine } from "../process/box-process.ts";
import { startHolder } from "../process/start.ts";
import { errorCode } from "../shared/error-code.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { holdArguments, mergedPath, roomOf } from "./keeper-program.ts";

/** Exit codes of native/keeper: another gate was faster, and boxes of a holder that was killed still run. */
const HELD = 75;
const BUSY = 76;
/** What native/keeper says where there is no space left. */
const DISK_FULL = /: errno 28$/m;
const WAIT_MS = 10_000;
const END_TRIES = 1000;

/** The command line of native/keeper with these arguments, with what has to run before it. */
export type KeeperCommand = (args: readonly string[]) => BoxCommandLine;

export class DraftHolder {
  readonly #directory: string;
  readonly #project: string;
  readonly #command: KeeperCommand;
  /** Open as long as this gate uses the draft. */
  #users: number | null = null;
  #pid = 0;

  constructor(directory: string, project: string, command: KeeperCommand) {
    this.#directory = directory;
    this.#project = project;
    this.#command = command;
  }

  /** Starts a holder if there is none. Resolves to the path of the mounted draft as this gate reaches it. */
  async mounted(): Promise<Result<string>> {
    const until = Date.now() + WAIT_MS;
    while (!this.#join()) {
      const ended = await startHolder(this.#command(holdArguments(this.#project, this.#directory)));
      if (ended !== null && DISK_FULL.test(ended.stderr))
        return fail("sandbox_unavailable", "The draft could not be mounted: the disk is full.", {
          hint: `Free some space on the disk of ${this.#directory}. What the session has written is there.`,
        });
      if (ended !== null && ended.exitCode !== HELD && ended.exitCode !== BUSY)
        return fail(
          "sandbox_unavailable",
          `The draft could not be mounted: ${ended.stderr.trim() || "no reason given"}.`,
          {
            hint: "`sallyport doctor` shows what this machine lacks. `workspace: { kind: memory }` needs no layer.",
          },
        );
      if (ended !== null && Date.now() > until)
        return fail(
          "sandbox_unavailable",
          ended.exitCode === BUSY
            ? "The process that kept this draft mounted was killed, and calls that it served still run."
            : "Another gate holds this draft, and does not answer.",
          { hint: "Call again when they have ended." },
        );
      if (ended !== null) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return ok(mergedPath(roomOfHolder(this.#directory, this.#pid)));
  }

  /** Closes, and waits until the holder has ended. False if somebody else uses it. */
  async end(): Promise<boolean> {
    this.close();
    const pid = existsSync(`${this.#directory}/holder`) ? readHolder(this.#directory) || this.#pid : 0;
    // It clears its process id when it has noticed that nobody uses it, and ends.
    for (let tries = 0; pid > 0 && isServing(pid); tries += 1) {
      if (tries >= END_TRIES && readHolder(this.#directory) !== 0) return false;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return true;
  }

  close(): void {
    if (this.#users !== null) closeSync(this.#users);
    this.#users = null;
  }

  /** Whether there is a holder that now lasts as long as this gate. */
  #join(): boolean {
    if (this.#users !== null && isServing(this.#pid) && this.#pid === readHolder(this.#directory)) return true;
    this.close();
    try {
      this.#users = openSync(
        `${this.#directory}/users`,
        constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
      );
    } catch (error) {
      if (errorCode(error) === "ENXIO") return false; // nobody has the other end open
      throw error;
    }
    this.#pid = readHolder(this.#directory);
    if (this.#pid > 0 && isServing(this.#pid)) return true;
    this.close(); // it is about to end, or was killed and the kernel has not closed its files yet
    return false;
  }
}

/** Whether the holder's mounts can be entered. The kernel gives up a killed process's namespaces before its locks and pipes. */
const isServing = (pid: number): boolean => existsSync(`/proc/${pid}/ns/mnt`);

/** The process id of the draft's holder. 0 if it has ended by itself. */
export function readHolder(directory: string): number {
  return Number(readFileSync(`${directory}/holder`, "utf8"));
}

/** The holder's room, as a gate reaches it while the holder lives. */
export function roomOfHolder(directory: string, pid: number): string {
  return `/proc/${pid}/root${roomOf(directory)}`;
}
