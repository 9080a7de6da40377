// The files below /proc through which the kernel is set or looked into. A box has a /proc of its own, but these are the whole
// machine's, and most go by their owner: root's box would have them all. Containers leave out the same ones.
// Invariant: nothing below a box's /proc can be written or changed, whoever's gate it is; what is covered cannot be opened.

import { lstatSync, readdirSync } from "node:fs";
import type { Cover } from "../process/launch.ts";

/** What everybody may read, and no box: the paths that container runtimes mask. */
const neverShown = new Set([
  "acpi",
  "asound",
  "interrupts",
  "kcore",
  "keys",
  "latency_stats",
  "sched_debug",
  "scsi",
  "timer_list",
  "timer_stats",
]);

/**
 * What is laid over a box's /proc: its first process, what is never shown, and for root's gate all that others may not read.
 * Found once. `hiddenDirectory`: nobody may open it.
 */
export function findCovers(hiddenDirectory: string, isRoot: boolean): Cover[] {
  const names = readdirSync("/proc").filter((name) => {
    const found = lstatSync(`/proc/${name}`, { throwIfNoEntry: false });
    if (found === undefined || /^\d+$/.test(name)) return false;
    // SECURITY(T34): the kernel keeps from a user what others may not read, but not from root.
    return (found.mode & 0o004) === 0 ? isRoot : neverShown.has(name);
  });
  // SECURITY(T35): or a program finds a way to slow the first process down, or reads what it was told.
  return [{ source: hiddenDirectory, target: "/proc/1" }, ...names.map((name) => coverOf(name, hiddenDirectory))];
}

function coverOf(name: string, hiddenDirectory: string): Cover {
  const target = `/proc/${name}`;
  // Bubblewrap lets no device be opened where it does not bind one as such, so this one cannot be.
  return { source: lstatSync(target).isDirectory() ? hiddenDirectory : "/dev/null", target };
}

/** Bubblewrap's words for a box's /proc. */
export function procArguments(covers: readonly Cover[]): string[] {
  return [
    "--proc",
    "/proc",
    ...covers.flatMap(({ source, target }) => ["--ro-bind", source, target]),
    // SECURITY(T34): or root's box writes the settings of the machine, and changes the modes of all that is in /proc for everybody.
    "--remount-ro",
    "/proc",
  ];
}
