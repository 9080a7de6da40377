// Ensures that a program that runs for the person ends with the gate, whatever ends the gate.

export interface ProcessGuardian {
  keep(argv: readonly string[], environment: Readonly<Record<string, string>>): GuardedCommand;
}

/** A command that starts the program and supervises it. The gate passes it everything through descriptors. */
export interface GuardedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The descriptors that it inherits, from 3 on. */
  readonly descriptors: readonly number[];
  /** Call it once the command has started or failed to start. The gate's copies of the descriptors are no longer needed. */
  started(): void;
  /** Ends the program and the processes in its group at once. */
  end(): void;
  /** The program's exit code; null if it ended by a signal, or the code is not known. */
  exitCode(): number | null;
  close(): void;
}
