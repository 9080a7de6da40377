// Identifies a process by its pid, start time, pid namespace and boot. All four are needed, because pids are reused.

import { readlinkSync } from "node:fs";
import { startOf } from "../process/process-mark.ts";
import { bootId } from "./anchor-file.ts";
import type { Holder, MemberHost } from "./lease.ts";

/** The processes of this machine as members. */
export function machineMembers(self: Holder = thisProcess()): MemberHost {
  return {
    self,
    isRunning: (holder) => isRunningHere(holder, self),
    every(ms, work) {
      const timer = setInterval(work, ms).unref();
      return () => clearInterval(timer);
    },
  };
}

/** Whether the process runs; null if it belongs to another machine, an earlier boot or another pid namespace. */
function isRunningHere(holder: Holder, self: Holder): boolean | null {
  if (holder.boot !== self.boot || holder.namespace !== self.namespace) return null;
  return startOf(holder.pid) === holder.started;
}

export function thisProcess(): Holder {
  const started = startOf(process.pid);
  if (started === undefined) throw new Error("/proc must be mounted: it tells which calls are still alive.");
  return { pid: process.pid, started, namespace: readlinkSync("/proc/self/ns/pid"), boot: bootId() };
}
