// The hard limits of the gate's own process. Nothing in a box can have more: only a process with CAP_SYS_RESOURCE may raise them.

import { readFileSync } from "node:fs";

const names = { fsize: "Max file size", nofile: "Max open files", nproc: "Max processes" } as const;

export type OwnLimits = Readonly<Record<keyof typeof names, number>>;

let known: OwnLimits | null = null;

export function ownLimits(): OwnLimits {
  return (known ??= parseLimits(readFileSync("/proc/self/limits", "latin1")));
}

/** `text` is that of /proc/PID/limits: a name, the soft limit, the hard limit and the unit in columns. */
export function parseLimits(text: string): OwnLimits {
  const hard = (name: string): number => {
    const value = new RegExp(`^${name} +\\S+ +(\\S+)`, "m").exec(text)?.[1];
    return value === undefined || value === "unlimited" ? Infinity : Number(value);
  };
  return { fsize: hard(names.fsize), nofile: hard(names.nofile), nproc: hard(names.nproc) };
}
