// Bubblewrap's command line, from a launch's plain data. Pure: it builds words and does nothing.

import type { Confinement, Mount } from "../process/launch.ts";
import { procArguments } from "./kernel-files.ts";

export interface BubblewrapCall {
  readonly confinement: Confinement;
  readonly cwd: string;
  readonly initPath: string;
  readonly initArguments: readonly string[];
  readonly seccompFd: number;
  readonly statusFd: number;
  /** An open descriptor for each pinned mount, bound instead of whatever stands at its path by then. Bubblewrap uses it up. */
  readonly sourceFds: ReadonlyMap<Mount, number>;
  /** What an overlay's place is bound to: the overlay, or where none can be mounted, the files themselves. */
  readonly overlaySource?: string | null;
}

/** In /dev, which is always the box's own, so that no grant can be in the way. */
const INIT_TARGET = "/dev/sallyport-init";

export function bubblewrapArguments(call: BubblewrapCall): string[] {
  const { confinement } = call;
  return [
    "--unshare-user",
    "--disable-userns", // SECURITY(T05): a nested user namespace is a way to the kernel's mount code
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(confinement.network === "none" ? ["--unshare-net"] : []),
    "--hostname",
    "box",
    "--new-session",
    // SECURITY(T10): our own first process, which ends with the gate, and with it all others. Not --die-with-parent: see native/init.c
    "--as-pid-1",
    "--cap-drop",
    "ALL",
    "--seccomp",
    String(call.seccompFd),
    "--json-status-fd",
    String(call.statusFd),
    ...confinement.mounts.flatMap((mount) => mountArguments(mount, call.sourceFds, call.overlaySource)),
    "--ro-bind",
    call.initPath,
    INIT_TARGET,
    "--remount-ro", // without a size, these two could be filled with the machine's whole memory
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
  sourceFds: ReadonlyMap<Mount, number>,
  overlaySource: string | null = null,
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
