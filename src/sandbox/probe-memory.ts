// Stores between processes that boxes can be built on this machine, so that not every start has to run five programs to find out.
// Invariant: only success is stored, together with everything it depends on, and a box that fails deletes it. Whatever is stored, a box
// that cannot be built is never replaced by weaker confinement: its call is refused.

import { readFileSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { arch, release } from "node:os";
import { pinnedHashes } from "./native-program.ts";

/** What the probe learned by starting bubblewrap. */
export interface BoxTrial {
  readonly version: string;
  readonly bindsDescriptors: boolean;
  readonly overlay: boolean;
}

export interface ProbeMemory {
  /** Null if nothing is stored for this bubblewrap and the current state of this machine. */
  recall(bubblewrap: string): BoxTrial | null;
  remember(bubblewrap: string, trial: BoxTrial): void;
  forget(): void;
}

/** Kernel files that identify this process and its permissions. An absent file counts as empty. */
const kernelFiles = [
  "/proc/sys/kernel/random/boot_id",
  "/proc/sys/kernel/unprivileged_userns_clone",
  "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
  "/proc/sys/user/max_user_namespaces",
  "/proc/sys/user/max_mnt_namespaces",
  "/proc/sys/user/max_net_namespaces",
  "/proc/sys/user/max_pid_namespaces",
  "/proc/self/attr/current",
];
const namespaces = ["user", "mnt", "net", "pid", "ipc", "uts", "cgroup"];
const statusLine = /^(?:Uid|Gid|Groups|CapEff|CapBnd|NoNewPrivs|Seccomp):.*$/gm;

/** `directory` is private to the user who runs the gate, and no grant covers it. */
export function createProbeMemory(directory: string): ProbeMemory {
  const file = `${directory}/probe.json`;
  return {
    recall(bubblewrap) {
      const known = readTrial(file);
      return known !== null && known.key === keyOf(bubblewrap) ? known.trial : null;
    },
    remember(bubblewrap, trial) {
      const draft = `${file}.${process.pid}.new`;
      try {
        writeFileSync(draft, JSON.stringify({ key: keyOf(bubblewrap), trial }), { mode: 0o600 });
        renameSync(draft, file);
      } catch {
        rmSync(draft, { force: true }); // for example a full disk: the next start probes again
      }
    },
    forget: () => rmSync(file, { force: true }),
  };
}

function readTrial(file: string): { readonly key: string; readonly trial: BoxTrial } | null {
  try {
    const { key, trial } = JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, unknown>>;
    const { version, bindsDescriptors, overlay } = trial ?? {};
    if (typeof key !== "string" || typeof version !== "string") return null;
    if (typeof bindsDescriptors !== "boolean" || typeof overlay !== "boolean") return null;
    return { key, trial: { version, bindsDescriptors, overlay } };
  } catch {
    return null;
  }
}

/** Everything that decides whether a box can be built. */
function keyOf(bubblewrap: string): string {
  const { ino, size, mode, uid, mtimeMs, ctimeMs } = statSync(bubblewrap);
  return JSON.stringify([
    arch(),
    release(),
    pinnedHashes,
    [bubblewrap, ino, size, mode, uid, mtimeMs, ctimeMs],
    kernelFiles.map(readOrNothing),
    namespaces.map((name) => linkOrNothing(`/proc/self/ns/${name}`)),
    readOrNothing("/proc/self/status").match(statusLine),
  ]);
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function linkOrNothing(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
