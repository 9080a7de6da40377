// Finds the processes of one case on the host, whatever they did with sessions, parents and names.

import { readdirSync, readFileSync } from "node:fs";

/** Processes that have the mark in their arguments, environment or mounts: a box has the case's directory mounted. */
export function processesOf(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => ["cmdline", "environ", "mountinfo"].some((file) => read(`/proc/${pid}/${file}`).includes(mark)))
    .map(Number);
}

export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // it ended by itself
    }
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits for what should happen soon; false when it did not within `ms`. */
export async function happens(condition: () => boolean, ms: number): Promise<boolean> {
  const end = Date.now() + ms;
  while (!condition()) {
    if (Date.now() > end) return false;
    await sleep(20);
  }
  return true;
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // gone, or a kernel thread
  }
}
