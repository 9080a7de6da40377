// Checks at intervals how much a box has written to the disk. The kernel counts it for each process, and adds a child's count to the
// parent that waits for it. If a box has written too much, or the disk is nearly full, the gate kills the box. The count is not exact:
// a box can write more between two checks, and children that no parent waits for count only while they live. For that reason the watch
// also checks the free space on the disk.

import { readdirSync, readFileSync } from "node:fs";
import type { LayerSource, Mount } from "../process/launch.ts";
import { limits } from "../shared/limits.ts";
import type { DraftUse } from "./draft-use.ts";
import { isInMemory } from "./file-system-kind.ts";
import { freeBytes } from "./free-bytes.ts";

export interface DiskWatch {
  /** What is used up: the box's share of the disk, its draft's, or the disk, by whomever. Null if nothing is. */
  readonly hit: "run" | "draft" | "machine" | null;
  stop(): void;
}

/** No limit of the configuration would help. */
export const MACHINE_FULL =
  "The disk to which the run wrote is nearly full, so the gate ended it. Delete what is not needed. If that is not enough, a person has to make room on the machine.";

export interface DiskWatchContext {
  readonly mounts: readonly Mount[];
  readonly layers: readonly LayerSource[];
  readonly bytes: number;
  /** Null if the box shows no draft. */
  readonly draft: DraftUse | null;
  /** Pid of the box's first process. Null if the process does not exist yet, or has ended. */
  readonly init: () => number | null;
  /** Kills every process of the box with SIGKILL. */
  readonly end: () => void;
}

/** Does nothing if the box has no writable path on the disk. */
export function watchDisk({ mounts, layers, bytes, draft, init, end }: DiskWatchContext): DiskWatch {
  const writable = [
    ...mounts.flatMap((mount) => (mount.kind === "bind" && mount.writable ? [mount.source] : [])),
    ...layers.map(({ directory }) => directory),
  ];
  const disks = writable.flatMap((path) => {
    const free = freeBytes(path);
    // If the disk was nearly full from the start, a box that writes a little must not be killed.
    return free === null ? [] : [{ path, free, least: Math.min(limits.diskReserveBytes, free / 2) }];
  });
  // The kernel does not count what is written to memory. If the layers are there, what is taken of it counts, by whomever.
  const memory = disks.filter(({ path }) => isInMemory(path));
  const taken = () => Math.max(0, ...memory.map(({ path, free }) => free - (freeBytes(path) ?? free)));
  let hit: DiskWatch["hit"] = null;
  let written = 0;
  let isCounting = false;
  const endFor = (what: "run" | "draft" | "machine"): void => {
    hit ??= what;
    clearInterval(timer);
    end();
  };
  const checkDisks = async (): Promise<void> => {
    const first = init();
    if (first === null) return;
    written = Math.max(written, writtenBytes(first), taken());
    const isFull = () => disks.some(({ path, least }) => (freeBytes(path) ?? Infinity) < least);
    if (written > bytes) return endFor("run");
    if (written > 0 && isFull()) return endFor("machine");
    if (draft === null || isCounting) return;
    isCounting = true;
    const isOver = await draft.isOver(written);
    isCounting = false;
    if (isOver && init() !== null) endFor("draft");
  };
  const timer = writable.length === 0 ? undefined : setInterval(() => void checkDisks(), limits.diskCheckMs);
  return {
    get hit() {
      return hit;
    },
    stop() {
      clearInterval(timer);
      draft?.end(written);
    },
  };
}

/** Bytes written by a process and its descendants, without what was deleted before it reached the disk. */
function writtenBytes(first: number): number {
  const processes = [first];
  let written = 0;
  // The loop appends to this list while iterating over it.
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

/** Returns "" if the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
