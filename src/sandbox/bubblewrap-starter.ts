// Starts each launch in its own bubblewrap box.

import { closeSync, openSync, readlinkSync } from "node:fs";
import type { Descriptor } from "../process/box-process.ts";
import type { Forker } from "../process/forker.ts";
import type { Launch, Mount } from "../process/launch.ts";
import type { Enforced, Outcome } from "../process/outcome.ts";
import { openPath } from "../process/plain-file.ts";
import type { RunListener, Starter } from "../process/starter.ts";
import { limits } from "../shared/limits.ts";
import { fail, type Result } from "../shared/result.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";
import type { CgroupHome } from "./cgroup.ts";
import { withOwnDevices } from "./device-files.ts";
import type { KeeperCommand } from "./draft-holder.ts";
import { DraftUse } from "./draft-use.ts";
import { joinArguments, layersArguments, mergedPath, onceArguments } from "./keeper-program.ts";
import type { PipePool } from "./pipe-pool.ts";
import type { PreparedFiles } from "./prepared.ts";
import { runBox } from "./run-box.ts";
import { BOX_STATUS_FD } from "./run-files.ts";

export interface BubblewrapStarterOptions {
  readonly bubblewrap: string;
  /** Whether this bubblewrap can bind an open descriptor (version 0.10, or an older one into which a distribution backported it). */
  readonly bindsDescriptors: boolean;
  readonly prepared: PreparedFiles;
  readonly pipes: PipePool;
  /** The gate's private scratch directory. */
  readonly directory: string;
  readonly cgroupHome: CgroupHome | null;
  /** An empty directory to mount overlays on. Null if this machine cannot; then programs get the materialized files directly. */
  readonly overlayDirectory: string | null;
  readonly forker: Forker;
}

export function createBubblewrapStarter(options: BubblewrapStarterOptions): Starter {
  return {
    name: "bubblewrap",
    start: (launch, listener, dispatched) => startBubblewrap(options, launch, listener, dispatched),
  };
}

async function startBubblewrap(
  options: BubblewrapStarterOptions,
  launch: Launch,
  listener: RunListener,
  dispatched: () => void | Promise<void>,
): Promise<Result<Outcome>> {
  const { confinement, step } = launch;
  const { overlay } = confinement;
  const around =
    overlay === null || options.overlayDirectory === null ? null : { overlay, mountPoint: options.overlayDirectory };
  // A descriptor of this mount namespace cannot be mounted in the holder's.
  const canPin = options.bindsDescriptors && confinement.draft === null;
  const pinned = canPin ? pinSources(confinement.mounts) : new Map<Mount, number>();
  if (pinned === null) {
    return fail("changed", "A granted path was replaced while the box was being built.", { hint: "Call again." });
  }
  const draftUse = await draftUseOf(launch, options.prepared);
  const seccomp = openSync(options.prepared.seccomp(confinement.unixSockets), "r");
  return runBox({
    launch,
    listener,
    dispatched,
    pipes: options.pipes,
    cgroupHome: options.cgroupHome,
    directory: options.directory,
    enforced: enforcedBy(launch, options.cgroupHome),
    forker: options.forker,
    extra: [{ fd: seccomp, access: "read" }, ...[...pinned.values()].map((fd): Descriptor => ({ fd, access: "path" }))],
    draftUse,
    tree: around?.overlay ?? null,
    command: (initArguments, seccompFd) => {
      const words = bubblewrapArguments({
        confinement,
        cwd: step.cwd,
        initPath: options.prepared.init,
        initArguments,
        seccompFd,
        statusFd: BOX_STATUS_FD,
        sourceFds: new Map([...pinned.keys()].map((mount, index) => [mount, seccompFd + 1 + index])),
        overlaySource: around === null ? (overlay?.lower ?? null) : mergedPath(around.mountPoint),
        layerRoom: options.overlayDirectory,
      });
      const { devices, keeper } = options.prepared;
      const { layers, draft } = confinement;
      const inside = {
        mountPoint: options.overlayDirectory ?? "",
        layers,
        bubblewrap: options.bubblewrap,
        arguments: words,
      };
      // The holder's mounts have the machine's device files as `devices` made them.
      if (draft !== null) return { file: keeper, args: joinArguments(draft, inside), cwd: "/" };
      if (around === null && layers.length === 0)
        return withOwnDevices(devices, { file: options.bubblewrap, args: words, cwd: "/" });
      const outFd = seccompFd + 1 + pinned.size;
      const args =
        around === null ? layersArguments(inside) : onceArguments({ ...inside, overlay: around.overlay, outFd });
      return withOwnDevices(devices, { file: keeper, args, cwd: "/" });
    },
    findInit: (_box, status) => (hasEnded(status) ? "ended" : childPid(status)),
    didStart: hasEnded,
    cleanUp: () => undefined, // bubblewrap exits after the box's first process, which exits after all others
  });
}

async function draftUseOf({ confinement }: Launch, { keeper }: PreparedFiles): Promise<DraftUse | null> {
  const bytes = confinement.limits.draftBytes ?? limits.draftMb * 1024 * 1024;
  const command: KeeperCommand = (args) => ({ file: keeper, args, cwd: "/" });
  return confinement.draft === null ? null : await DraftUse.begin(confinement.draft, command, bytes);
}

/** SECURITY(T11): keeps a descriptor to each judged path, so that nobody can swap in a link while the box is built. */
function pinSources(mounts: readonly Mount[]): Map<Mount, number> | null {
  const pinned = new Map<Mount, number>();
  for (const mount of mounts) {
    if (mount.kind !== "bind" || mount.pinned !== true) continue;
    const fd = tryOpen(mount.source);
    if (fd !== null) pinned.set(mount, fd);
    if (fd === null || readlinkSync(`/proc/self/fd/${fd}`) !== mount.source) {
      for (const held of pinned.values()) closeSync(held);
      return null;
    }
  }
  return pinned;
}

/** Null if the path is gone or no longer reachable. */
function tryOpen(path: string): number | null {
  try {
    return openPath(path);
  } catch {
    return null;
  }
}

/** Bubblewrap writes `{ "child-pid": 123 }` as soon as the box's first process exists. */
function childPid(status: string): number | null {
  const pid = /"child-pid": (\d+)/.exec(status)?.[1];
  return pid === undefined ? null : Number(pid);
}

/** Bubblewrap writes this only if the box was built and its first process ran. That process is gone, so its pid may be reused. */
function hasEnded(status: string): boolean {
  return status.includes('"exit-code"');
}

function enforcedBy(launch: Launch, cgroupHome: CgroupHome | null): Enforced {
  const directories = cgroupHome?.directories ?? {};
  // RLIMIT_NPROC does not apply to root.
  const countsProcesses = directories.pids !== undefined || process.getuid?.() !== 0;
  return {
    filesystem: "kernel",
    network: launch.confinement.network === "none" ? "kernel" : "no",
    processes: countsProcesses ? "kernel" : "runtime",
    memory: directories.memory === undefined ? "runtime" : "kernel",
    cpu: "kernel",
    wall_clock: "runtime",
    environment: "kernel",
    syscalls: "kernel",
  };
}
