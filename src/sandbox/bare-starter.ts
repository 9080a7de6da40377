// Starts programs without a box: it controls environment, limits and deadline only. The gate uses it if the configuration says
// `sandbox: { require: limits }` and this machine cannot build boxes. Each result says what was not enforced.

import { readFileSync } from "node:fs";
import type { Forker } from "../process/forker.ts";
import type { Launch } from "../process/launch.ts";
import type { Enforced } from "../process/outcome.ts";
import type { Starter } from "../process/starter.ts";
import { isWithin } from "../shared/path.ts";
import type { CgroupHome } from "./cgroup.ts";
import type { PipePool } from "./pipe-pool.ts";
import type { PreparedFiles } from "./prepared.ts";
import { runBox } from "./run-box.ts";

export interface BareStarterOptions {
  readonly prepared: PreparedFiles;
  readonly pipes: PipePool;
  /** The gate's private scratch directory. */
  readonly directory: string;
  readonly cgroupHome: CgroupHome | null;
  readonly forker: Forker;
}

export function createBareStarter(options: BareStarterOptions): Starter {
  return {
    name: "bare",
    start: (launch, listener, dispatched) =>
      runBox({
        launch,
        listener,
        dispatched,
        pipes: options.pipes,
        cgroupHome: options.cgroupHome,
        directory: options.directory,
        enforced: enforcedBare(options.cgroupHome),
        forker: options.forker,
        extra: [],
        draftUse: null,
        tree: null,
        command: (initArguments) => ({
          file: options.prepared.init,
          args: initArguments,
          cwd: directoryOnHost(launch),
        }),
        findInit: (box) => box.pid,
        didStart: () => true,
        cleanUp: (box) => killSession(box.pid),
      }),
  };
}

/** Without a box /workspace does not exist, so a program that would start there starts in the real directory of the files. */
function directoryOnHost({ step: { cwd }, confinement }: Launch): string {
  const { overlay } = confinement;
  return overlay !== null && isWithin(cwd, overlay.target) ? overlay.lower + cwd.slice(overlay.target.length) : cwd;
}

/** Without a pid namespace, the gate can only find processes that the program started in its own session. */
function killSession(initPid: number | null): void {
  if (initPid === null) return;
  for (const child of childrenOf(initPid)) {
    try {
      process.kill(-child, "SIGKILL");
    } catch {
      // already gone
    }
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function enforcedBare(cgroupHome: CgroupHome | null): Enforced {
  return {
    filesystem: "no",
    network: "no",
    processes: "no",
    memory: cgroupHome?.directories.memory === undefined ? "runtime" : "kernel",
    cpu: "kernel",
    wall_clock: "runtime",
    environment: "runtime",
    syscalls: "no",
  };
}
