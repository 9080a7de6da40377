// A holder is a process: its pid, when it began, in which pid namespace, under which boot. All four, because pids return.

import { readFileSync, readlinkSync } from "node:fs";
import { bootId } from "./anchor-file.ts";

export interface Holder {
  readonly pid: number;
  readonly started: string;
  readonly namespace: string;
  readonly boot: string;
}

export function isAlive(holder: Holder, self: Holder): boolean {
  if (holder.boot !== self.boot) return false;
  if (holder.namespace !== self.namespace) return true; // its pids mean nothing here: kept until the machine starts anew
  return startOf(holder.pid) === holder.started;
}

export function thisProcess(): Holder {
  const started = startOf(process.pid);
  if (started === undefined) throw new Error("/proc must be mounted: it tells which calls are still alive.");
  return { pid: process.pid, started, namespace: readlinkSync("/proc/self/ns/pid"), boot: bootId() };
}

/** Field 22 of /proc/PID/stat. The name before it may hold blanks and brackets. A zombie holds nothing any more. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
