// The limits of one run, as granted to an agent, and what they are if nobody wrote them.

import { limits } from "./limits.ts";

export interface RunLimits {
  readonly memoryMb: number;
  readonly fsizeMb: number;
  /** How much a run may write to the disk in total; the default if absent. */
  readonly diskMb?: number;
  /** How much a draft may have on the disk, over all calls; the default if absent. */
  readonly draftMb?: number;
  /** Connections of a run at the same time; like the next three, the default if absent. */
  readonly networkConnections?: number;
  /** What a run may send to other machines in total, and receive. */
  readonly networkOutMb?: number;
  readonly networkInMb?: number;
  /** After this time without a byte the gate ends a connection. */
  readonly networkIdleS?: number;
  readonly nofile: number;
  readonly nproc: number;
  /** null means the call's own timeout. */
  readonly cpuS: number | null;
}

/** The limits that are the same for every tool if nobody wrote them. The default of each has its name in `limits`. */
export const optionalLimits = [
  "diskMb",
  "draftMb",
  "networkConnections",
  "networkOutMb",
  "networkInMb",
  "networkIdleS",
] as const satisfies readonly (keyof RunLimits & keyof typeof limits)[];

/** Of programs that a call names one by one: Exec, Git, and what the gate runs itself. */
export const defaultRunLimits: RunLimits = Object.freeze({
  memoryMb: limits.memoryMb,
  fsizeMb: limits.fsizeMb,
  nofile: limits.nofile,
  nproc: limits.nproc,
  cpuS: null,
});

/** Of scripts and commands that build and test: Bash, Python and Shell. */
export function defaultWorkLimits(machineMemoryMb: number): RunLimits {
  return Object.freeze({
    memoryMb: Math.max(limits.memoryMb, Math.min(limits.workMemoryMb, Math.floor(machineMemoryMb / 2))),
    fsizeMb: limits.workFsizeMb,
    nofile: limits.workNofile,
    nproc: limits.workNproc,
    cpuS: null,
  });
}
