// By how much this process's memory was larger at its peak than before. For a process in which nothing else has run.

import { readFileSync, writeFileSync } from "node:fs";

export async function peakGrowthMb(work: () => Promise<unknown>): Promise<number> {
  writeFileSync("/proc/self/clear_refs", "5"); // the kernel forgets the peak so far
  const before = peakMb();
  await work();
  return peakMb() - before;
}

function peakMb(): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
  if (kilobytes === undefined) throw new Error("the kernel does not tell the peak of memory");
  return Number(kilobytes) / 1024;
}
