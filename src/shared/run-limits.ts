// The limits of one run, as granted to an agent.

export interface RunLimits {
  readonly memoryMb: number;
  readonly fsizeMb: number;
  /** How much a run may write to the disk in total; the default if absent. */
  readonly diskMb?: number;
  readonly nofile: number;
  readonly nproc: number;
  /** null means the call's own timeout. */
  readonly cpuS: number | null;
}
