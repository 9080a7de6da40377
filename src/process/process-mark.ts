// Marks a file with the process that made it, so that leftovers of a killed process can be told from files in use.

import { readFileSync, readlinkSync } from "node:fs";

let own: string | null = null;

/** Only letters, digits and dots, so that it can be part of a file name. */
export function markOfThisProcess(): string {
  return (own ??= markOf(process.pid, startOf(process.pid) ?? "0"));
}

/** Null if there is no such process. */
export function markOfProcess(pid: number): string | null {
  const started = startOf(pid);
  return started === undefined ? null : markOf(pid, started);
}

function markOf(pid: number, started: string): string {
  return [pid, started, namespaceOfPids(), bootOfMachine()].join(".");
}

/** What a mark looks like, for a pattern of file names. An earlier version wrote only the process id. */
export const processMark = String.raw`\d+(?:\.\d+\.\d+\.[0-9a-f]{8})?`;

/** False if the process is certainly gone. True also if that is not known: the pid of another pid namespace means nothing here. */
export function mayBeAlive(mark: string): boolean {
  const [pid = "", started, namespace, boot] = mark.split(".");
  if (boot === undefined) return startOf(Number(pid)) !== undefined; // a gate of an earlier version may still run
  if (boot !== bootOfMachine()) return false;
  return namespace !== namespaceOfPids() || startOf(Number(pid)) === started;
}

export interface WorkTime {
  /** When the process began, or changed last, what it has marked. */
  readonly sinceMs: number;
  /** The longest that it takes. */
  readonly mostMs: number;
}

/**
 * The same for work that ends by itself. So what is left of a container that ran before this one does not count as in use for ever. An
 * earlier version's mark, which is only a process id, counts as one of another container.
 */
export function mayBeAtWork(mark: string, { sinceMs, mostMs }: WorkTime): boolean {
  const [, , namespace] = mark.split(".");
  const isElsewhere = namespace !== namespaceOfPids();
  return mayBeAlive(mark) && !(isElsewhere && Date.now() - sinceMs > mostMs);
}

/** Field 22 of /proc/PID/stat. The name before it may contain blanks and brackets. Undefined for a zombie, which holds no files. */
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
