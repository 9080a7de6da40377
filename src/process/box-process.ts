// The command of a box while it runs, whichever process started it.

import type { ListeningSocket } from "./box-network.ts";

/** A descriptor that the command inherits. Its index in the list is its number in the command. */
export type Descriptor =
  | {
      readonly fd: number;
      /** How it was opened. "path": the descriptor only names a file, and can neither read nor write it. */
      readonly access: "read" | "write" | "both" | "path";
    }
  /** The command can send sockets to the gate. The gate has no descriptor for that, and closes none. */
  | { readonly fd: null; readonly access: "channel" };

/** Takes the sockets that a command sends through its channel. */
export interface SocketReceiver {
  /** The command names it with each socket. */
  readonly key: string;
  take(listener: number, socket: ListeningSocket): void;
}

/** The program that makes a box, and its arguments. */
export interface BoxCommandLine {
  readonly file: string;
  readonly args: readonly string[];
  /** The directory in which the command starts. The box then changes to the program's own directory. */
  readonly cwd: string;
}

export interface BoxCommand extends BoxCommandLine {
  /** Descriptors 0, 1 and 2 of the program, and from 3 on those that the box itself needs. */
  readonly descriptors: readonly Descriptor[];
  /** Absent if no descriptor is a channel. */
  readonly receiver?: SocketReceiver | undefined;
}

export interface BoxProcess {
  /** Null if it is not known yet, or the process never existed. */
  readonly pid: number | null;
  /**
   * Resolves when the process has its own copies of the descriptors, so that the gate can close its copies. Also resolves if the
   * process could not be started.
   */
  readonly started: Promise<void>;
  /** Null if the process has ended. An error if it was not started, or see `LostProcess` and `KilledProcess`. */
  readonly ended: Promise<Error | null>;
  /** False if that cannot be known. */
  readonly isOver: boolean;
  /** Sends SIGKILL at once. Does nothing if the process has ended. */
  kill(): void;
}

/** The end of the process cannot be known. */
export class LostProcess extends Error {}

/** A signal ended the process, or the one that it waited for. */
export class KilledProcess extends Error {}

/** Bubblewrap and native/keeper exit with 128 + n if signal n ended what they started. */
export function endOfProcess(exitCode: number | null): KilledProcess | null {
  return exitCode === null || exitCode > 128 ? new KilledProcess("a signal ended a process that it needs") : null;
}
