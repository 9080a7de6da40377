// Builds bubblewrap's command line from a launch's data. It has no side effects.

import type { Confinement, Mount } from "../process/launch.ts";
import { layerPath, mergedPath, roomOf } from "./keeper-program.ts";
import { procArguments } from "./kernel-files.ts";

/** Where the sources of mounts are. */
export interface MountSources {
  /** An open descriptor for each pinned mount. Bubblewrap binds it instead of the path, which may have been replaced, and closes it. */
  readonly sourceFds: ReadonlyMap<Mount, number>;
  /** The source that is bound at an overlay's target: the overlay, or the materialized files if overlays cannot be mounted. */
  readonly overlaySource?: string | null;
  /** Where the layers of the call are mounted. Null if there are none. */
  readonly layerRoom?: string | null;
}

export interface BubblewrapCall extends MountSources {
  readonly confinement: Confinement;
  readonly cwd: string;
  readonly initPath: string;
  readonly initArguments: readonly string[];
  readonly seccompFd: number;
  readonly statusFd: number;
}

/** Lies in /dev, because every box has its own /dev and no grant can conflict with it. */
const INIT_TARGET = "/dev/sallyport-init";

export function bubblewrapArguments(call: BubblewrapCall): string[] {
  const { confinement } = call;
  return [
    "--unshare-user",
    "--disable-userns", // SECURITY(T05): a nested user namespace would give access to the kernel's mount code
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--unshare-cgroup-try",
    // Native/keeper has already made the namespace of a box that reaches single hosts.
    ...(confinement.network === "none" ? ["--unshare-net"] : []),
    "--hostname",
    "box",
    "--new-session",
    // SECURITY(T10): native/init is the box's first process. It ends when the gate ends, and the kernel then ends all others. Why not
    // --die-with-parent: see native/init.c.
    "--as-pid-1",
    "--cap-drop",
    "ALL",
    "--seccomp",
    String(call.seccompFd),
    "--json-status-fd",
    String(call.statusFd),
    ...confinement.mounts.flatMap((mount) => mountArguments(mount, call)),
    "--ro-bind",
    call.initPath,
    INIT_TARGET,
    "--remount-ro", // these two have no size limit, so a program could fill the machine's memory through them
    "/dev",
    "--remount-ro",
    "/",
    "--chdir",
    call.cwd,
    "--",
    INIT_TARGET,
    ...call.initArguments,
  ];
}

export function mountArguments(
  mount: Mount,
  { sourceFds, overlaySource = null, layerRoom = null }: MountSources,
): string[] {
  switch (mount.kind) {
    case "bind": {
      const fd = sourceFds.get(mount);
      if (fd !== undefined) return [mount.writable ? "--bind-fd" : "--ro-bind-fd", String(fd), mount.target];
      return [mount.writable ? "--bind" : "--ro-bind", mount.source, mount.target];
    }
    case "scratch":
      return ["--perms", "1777", "--size", String(mount.sizeBytes), "--tmpfs", mount.target];
    case "overlay":
      if (overlaySource === null) throw new TypeError("an overlay needs its source");
      return ["--bind", overlaySource, mount.target];
    case "layer":
      if (layerRoom === null) throw new TypeError("a layer needs its room");
      return [mount.writable ? "--bind" : "--ro-bind", layerPath(layerRoom, mount.number), mount.target];
    case "draft":
      return [mount.writable ? "--bind" : "--ro-bind", mergedPath(roomOf(mount.directory)), mount.target];
    case "directory":
      return ["--dir", mount.target];
    case "link":
      return ["--symlink", mount.text, mount.target];
    case "proc":
      return procArguments(mount.covers);
    case "dev":
      return ["--dev", "/dev", "--size", String(mount.shmBytes), "--perms", "1777", "--tmpfs", "/dev/shm"];
  }
}
