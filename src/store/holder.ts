// A holder is a process: its pid, when it began, in which pid namespace, under which boot. All four, because pids return.

import { readlinkSync } from "node:fs";
import { startOf } from "../process/process-mark.ts";
import { bootId } from "./anchor-file.ts";

export interface Holder {
  readonly pid: number;
  readonly started: string;
  readonly namespace: string;
  readonly boot: string;
}

export function isAlive(holder: Holder, self: Holder): boolean {
  // In another pid namespace its number means nothing here: it is kept until the machine starts anew.
  return isRunningHere(holder, self) ?? holder.boot === self.boot;
}

/** Whether the process runs; null: it is one of another machine, of an earlier boot, or of another pid namespace. */
export function isRunningHere(holder: Holder, self: Holder): boolean | null {
  if (holder.boot !== self.boot || holder.namespace !== self.namespace) return null;
  return startOf(holder.pid) === holder.started;
}

export function thisProcess(): Holder {
  const started = startOf(process.pid);
  if (started === undefined) throw new Error("/proc must be mounted: it tells which calls are still alive.");
  return { pid: process.pid, started, namespace: readlinkSync("/proc/self/ns/pid"), boot: bootId() };
}
