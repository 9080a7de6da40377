// Files below /proc that configure or inspect the kernel. A box has its own /proc, but these files belong to the whole machine. Most
// are protected by file permissions only, so a box of a gate that runs as root could use them all. Containers hide the same files.
// Invariant: no program can write to or change anything below a box's /proc, whichever user runs the gate, or open a covered file.

import { lstatSync, readdirSync } from "node:fs";
import type { Cover } from "../process/launch.ts";

/** Readable for every user of the machine but not in a box: the paths that container runtimes mask. */
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
 * The mounts that cover parts of a box's /proc: its first process, the files above, and, for a gate of root, every file that other
 * users may not read. The caller computes this once. `hiddenDirectory`: a directory that nobody may open.
 */
export function findCovers(hiddenDirectory: string, isRoot: boolean): Cover[] {
  const names = readdirSync("/proc").filter((name) => {
    const found = lstatSync(`/proc/${name}`, { throwIfNoEntry: false });
    if (found === undefined || /^\d+$/.test(name)) return false;
    // SECURITY(T34): file permissions protect these files from ordinary users but not from root.
    return (found.mode & 0o004) === 0 ? isRoot : neverShown.has(name);
  });
  // SECURITY(T35): otherwise a program could slow the first process down through /proc/1, or read its arguments.
  return [{ source: hiddenDirectory, target: "/proc/1" }, ...names.map((name) => coverOf(name, hiddenDirectory))];
}

function coverOf(name: string, hiddenDirectory: string): Cover {
  const target = `/proc/${name}`;
  // Bubblewrap mounts ordinary binds with nodev, so a program cannot open this /dev/null.
  return { source: lstatSync(target).isDirectory() ? hiddenDirectory : "/dev/null", target };
}

/** Bubblewrap's arguments for a box's /proc. */
export function procArguments(covers: readonly Cover[]): string[] {
  return [
    "--proc",
    "/proc",
    ...covers.flatMap(({ source, target }) => ["--ro-bind", source, target]),
    // SECURITY(T34): otherwise a box of root could write the machine's settings, and change file modes in /proc for everybody.
    "--remount-ro",
    "/proc",
  ];
}
