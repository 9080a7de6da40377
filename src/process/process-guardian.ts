// What sees to it that a program that runs for the person ends with the gate, whatever ends the gate.

export interface ProcessGuardian {
  keep(argv: readonly string[], environment: Readonly<Record<string, string>>): GuardedCommand;
}

/** A command that starts the program, stays with it, and is told everything by descriptors. */
export interface GuardedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** What it finds from 3 on. */
  readonly descriptors: readonly number[];
  /** It has started, or could not be: ours are not needed any more. */
  started(): void;
  /** Ends the program, and what it started in its group, at once. */
  end(): void;
  /** How the program ended; null: by a signal, or nobody knows. */
  exitCode(): number | null;
  close(): void;
}
