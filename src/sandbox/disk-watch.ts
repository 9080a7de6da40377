// What a box writes to the disk, looked at while it runs: the kernel counts it for each process, and adds what a child wrote to
// the parent that waits for it. Where it is too much, or the disk is nearly full, the box is ended.
// Not exact: between two looks a box can write more, and children whose parent waits for none of them are counted only
// while they live. That is what the second look, at what is left on the disk, is for.

import { readdirSync, readFileSync, statfsSync } from "node:fs";
import type { Mount } from "../process/launch.ts";
import { limits } from "../shared/limits.ts";

export interface DiskWatch {
  readonly isHit: boolean;
  stop(): void;
}

export interface DiskWatchContext {
  readonly mounts: readonly Mount[];
  readonly bytes: number;
  /** The box's first process; null: not yet, or not any more. */
  readonly init: () => number | null;
  /** SIGKILL to all of it. */
  readonly end: () => void;
}

/** Looks only where the box has something of the disk to write to. */
export function watchDisk({ mounts, bytes, init, end }: DiskWatchContext): DiskWatch {
  const writable = mounts.flatMap((mount) => (mount.kind === "bind" && mount.writable ? [mount.source] : []));
  const disks = writable.flatMap((path) => {
    const free = freeBytes(path);
    // A disk that is nearly full already is no reason to end what writes a little.
    return free === null ? [] : [{ path, least: Math.min(limits.diskReserveBytes, free / 2) }];
  });
  let isHit = false;
  const checkDisks = (): void => {
    const first = init();
    if (first === null) return;
    const written = writtenBytes(first);
    const isFull = () => disks.some(({ path, least }) => (freeBytes(path) ?? Infinity) < least);
    if (written <= bytes && !(written > 0 && isFull())) return;
    isHit = true;
    clearInterval(timer);
    end();
  };
  const timer = writable.length === 0 ? undefined : setInterval(checkDisks, limits.diskCheckMs);
  return {
    get isHit() {
      return isHit;
    },
    stop: () => clearInterval(timer),
  };
}

function freeBytes(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** Of a process and all that descend from it, less what was deleted before it reached the disk. */
function writtenBytes(first: number): number {
  const processes = [first];
  let written = 0;
  // It grows while it is gone through.
  for (const pid of processes) {
    const counts = read(`/proc/${pid}/io`);
    const count = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, "m").exec(counts)?.[1] ?? 0);
    written += count("write_bytes") - count("cancelled_write_bytes");
    for (const task of tasksOf(pid))
      for (const child of read(`/proc/${pid}/task/${task}/children`).split(" "))
        if (child !== "" && processes.length < limits.diskProcesses) processes.push(Number(child));
  }
  return Math.max(0, written);
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** A process may be gone at any moment. */
function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
