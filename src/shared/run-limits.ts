// The limits of one run, as an agent holds them.

export interface RunLimits {
  readonly memoryMb: number;
  readonly fsizeMb: number;
  /** What a run can write to the disk in all; not written: the default. */
  readonly diskMb?: number;
  readonly nofile: number;
  readonly nproc: number;
  /** null: the call's own timeout. */
  readonly cpuS: number | null;
}
