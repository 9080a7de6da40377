// The command of a box while it runs, by whichever way it was started.

/** What the command finds under a number. */
export interface Descriptor {
  readonly fd: number;
  /** As it was opened; "path": it names a file and can do nothing else with it. */
  readonly access: "read" | "write" | "both" | "path";
}

/** The program that makes a box, and its arguments. */
export interface BoxCommandLine {
  readonly file: string;
  readonly args: readonly string[];
  /** Where the command itself starts; a box then goes to the program's own directory. */
  readonly cwd: string;
}

export interface BoxCommand extends BoxCommandLine {
  /** The program's 0, 1, 2 and what the box itself needs from 3 on. */
  readonly descriptors: readonly Descriptor[];
}

export interface BoxProcess {
  /** null: not known yet, or it never was. */
  readonly pid: number | null;
  /** From then on it holds its descriptors, and ours can be closed. Also where it could not be started. */
  readonly started: Promise<void>;
  /** null: it has ended. An error: it was not started, or, if that is a `LostProcess`, nobody can say how it went on. */
  readonly ended: Promise<Error | null>;
  /** False where nobody can say. */
  readonly isOver: boolean;
  /** At once, and nothing where it is over. */
  kill(): void;
}

export class LostProcess extends Error {}
