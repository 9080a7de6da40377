// Starts each launch in its own bubblewrap box.

import { randomBytes } from "node:crypto";
import { closeSync, existsSync, openSync, readlinkSync } from "node:fs";
import type { BoxListener, ListeningSocket } from "../process/box-network.ts";
import type { Descriptor, SocketReceiver } from "../process/box-process.ts";
import { CERTIFICATES_TARGET } from "../process/box-environment.ts";
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
import {
  joinArguments,
  layersArguments,
  mergedPath,
  networkArguments,
  onceArguments,
  plainArguments,
} from "./keeper-program.ts";
import type { ListenersTrial } from "./listeners-trial.ts";
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
  /** Starts the boxes that reach single hosts. */
  readonly networkForker: Forker;
  readonly tryListeners: ListenersTrial;
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
  const network = networkOf(launch, listener);
  const problem = network === null ? null : await options.tryListeners();
  if (problem !== null) {
    for (const fd of pinned.values()) closeSync(fd);
    return fail("sandbox_unavailable", `Programs cannot reach single hosts here: ${problem.message}. Nothing ran.`, {
      hint: `This would mend it: ${problem.mend}`,
    });
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
    forker: network === null ? options.forker : options.networkForker,
    receiver: network?.receiver,
    extra: [
      { fd: seccomp, access: "read" },
      ...[...pinned.values()].map((fd): Descriptor => ({ fd, access: "path" })),
      ...(network === null ? [] : [{ fd: null, access: "channel" } as const]),
    ],
    draftUse,
    tree: around?.overlay ?? null,
    command: (initArguments, seccompFd) => {
      const words = bubblewrapArguments({
        confinement: { ...confinement, mounts: [...confinement.mounts, ...certificateMounts(listener)] },
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
      const channelFd = seccompFd + 1 + pinned.size;
      const keep = (args: readonly string[]) => ({
        file: keeper,
        args: network === null ? args : networkArguments({ ...network, channelFd }, args),
        cwd: "/",
      });
      // The holder's mounts have the machine's device files as `devices` made them.
      if (draft !== null) return keep(joinArguments(draft, inside));
      if (around === null && layers.length === 0) {
        const isPlain = network === null;
        const bare = { file: options.bubblewrap, args: words, cwd: "/" };
        return withOwnDevices(devices, isPlain ? bare : keep(plainArguments(options.bubblewrap, words)));
      }
      const outFd = channelFd + (network === null ? 0 : 1);
      const args =
        around === null ? layersArguments(inside) : onceArguments({ ...inside, overlay: around.overlay, outFd });
      return withOwnDevices(devices, keep(args));
    },
    findInit: (_box, status) => (hasEnded(status) ? "ended" : childPid(status)),
    didStart: hasEnded,
    cleanUp: () => undefined, // bubblewrap exits after the box's first process, which exits after all others
  });
}

const MACHINE_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** Also in the place of the machine's, for programs that follow no variable. */
function certificateMounts({ network }: RunListener): Mount[] {
  const source = network?.certificates ?? null;
  if (source === null) return [];
  const targets = [CERTIFICATES_TARGET, ...(existsSync(MACHINE_CERTIFICATES) ? [MACHINE_CERTIFICATES] : [])];
  return targets.map((target): Mount => ({ kind: "bind", source, target, writable: false }));
}

interface LaunchedNetwork {
  readonly key: string;
  readonly listeners: readonly BoxListener[];
  readonly receiver: SocketReceiver;
}

/** SECURITY(T49): a box that reaches single hosts does not start without somebody who judges them. */
function networkOf({ confinement }: Launch, { network }: RunListener): LaunchedNetwork | null {
  if (confinement.network !== "hosts") return null;
  if (network === undefined) throw new TypeError("a box that reaches single hosts needs its network");
  const { listeners } = network;
  const key = randomBytes(8).toString("hex");
  const take = (index: number, socket: ListeningSocket) => network.attach(listeners[index] as BoxListener, socket);
  return { key, listeners, receiver: { key, take } };
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
    network: ({ none: "kernel", hosts: "hosts", host: "no" } as const)[launch.confinement.network],
    processes: countsProcesses ? "kernel" : "runtime",
    memory: directories.memory === undefined ? "runtime" : "kernel",
    cpu: "kernel",
    wall_clock: "runtime",
    environment: "kernel",
    syscalls: "kernel",
  };
}
