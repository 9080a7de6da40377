// Which process a file belongs to, written as one word: so that what a killed one left can be told from what is in use.

import { readFileSync, readlinkSync } from "node:fs";

/** Letters, digits and dots only: it can be part of a file's name. */
export function markOfThisProcess(): string {
  return [process.pid, startOf(process.pid) ?? "0", namespaceOfPids(), bootOfMachine()].join(".");
}

/** False: it surely is not. True also where that cannot be told: in another pid namespace its number means nothing here. */
export function mayBeAlive(mark: string): boolean {
  const [pid = "", started, namespace, boot] = mark.split(".");
  if (boot !== bootOfMachine()) return false;
  return namespace !== namespaceOfPids() || startOf(Number(pid)) === started;
}

/** Field 22 of /proc/PID/stat. The name before it may hold blanks and brackets. A zombie holds nothing any more. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function namespaceOfPids(): string {
  return readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
}

function bootOfMachine(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8);
}
