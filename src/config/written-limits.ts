// Limits of a run as they are written in a configuration or a worker file.

import type { RunLimits } from "../shared/run-limits.ts";

const keys = {
  memory_mb: "memoryMb",
  fsize_mb: "fsizeMb",
  disk_mb: "diskMb",
  draft_mb: "draftMb",
  network_connections: "networkConnections",
  network_out_mb: "networkOutMb",
  network_in_mb: "networkInMb",
  network_idle_s: "networkIdleS",
  nofile: "nofile",
  nproc: "nproc",
  cpu_s: "cpuS",
} as const satisfies Readonly<Record<string, keyof RunLimits>>;

export type WrittenLimits = { readonly [key in keyof typeof keys]?: number | undefined };

/** Only what is written. */
export function writtenLimits(written: WrittenLimits): Partial<RunLimits> {
  return Object.fromEntries(
    Object.entries(written).flatMap(([key, value]) =>
      value === undefined ? [] : [[keys[key as keyof typeof keys], value]],
    ),
  );
}
