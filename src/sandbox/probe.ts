// Finds out what this machine can enforce, by trying it. `sallyport doctor` shows the result, and a gate relies on it.

import { existsSync } from "node:fs";
import { arch } from "node:os";
import type { Held } from "../process/outcome.ts";
import { runHelper } from "../process/start.ts";
import { isTrustedProgram, missingProgram } from "../process/trusted-program.ts";
import { type BoxProblem, everyNamespace, findBoxProblem } from "./box-problem.ts";
import { type CgroupHome, findCgroupHome } from "./cgroup.ts";
import { nativeProgramPath, readNativeProgram } from "./native-program.ts";
import { mergedPath, onceArguments } from "./keeper-program.ts";
import type { BoxTrial, ProbeMemory } from "./probe-memory.ts";
import { isFilterable } from "./seccomp.ts";

interface HeldBy {
  readonly held: Held;
  readonly how: string;
  /** How to fix it. Null if nothing is missing. */
  readonly mend: string | null;
}

export interface ProbeResult extends HeldBy {
  readonly name: string;
}

export interface Probe {
  readonly architecture: string;
  readonly bubblewrap: { readonly path: string; readonly version: string; readonly bindsDescriptors: boolean } | null;
  /** Why boxes cannot be built here. Null if they can. */
  readonly problem: BoxProblem | null;
  /** Whether each call can get its own overlay over a workspace in memory. If not, calls on the same workspace run one after another. */
  readonly overlay: boolean;
  readonly mkfifo: string | null;
  readonly cgroupHome: CgroupHome | null;
  readonly findings: readonly ProbeResult[];
}

// SECURITY(T07): only these fixed paths; the gate never uses a `bwrap` from the workspace or from $PATH.
const bubblewrapPaths = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
const mkfifoPaths = ["/usr/bin/mkfifo", "/bin/mkfifo", "/run/current-system/sw/bin/mkfifo"];

const OLDEST = [0, 8, 0];

export interface ProbeOptions {
  readonly bubblewrap?: readonly string[];
  /** What earlier processes learned. Without it the probe tries everything. */
  readonly memory?: ProbeMemory;
}

export function probe({ bubblewrap: candidates = bubblewrapPaths, memory }: ProbeOptions = {}): Probe {
  const architecture = arch();
  const path = candidates.find(isTrustedProgram);
  const mkfifo = mkfifoPaths.find(isTrustedProgram) ?? null;
  const cgroupHome = findCgroupHome();
  const known = path === undefined ? null : (memory?.recall(path) ?? null);
  const { bubblewrap, problem, overlay } =
    path !== undefined && known !== null ? knownBox(path, known) : tryBox(architecture, path, candidates);
  // If something is missing, every start probes again, because somebody may have fixed it.
  if (known === null && bubblewrap !== null && problem === null && overlay) {
    const { version, bindsDescriptors } = bubblewrap;
    memory?.remember(bubblewrap.path, { version, bindsDescriptors, overlay });
  }
  const findings = findingsOf(problem === null, cgroupHome);
  return { architecture, bubblewrap, problem, overlay, mkfifo, cgroupHome, findings };
}

interface TriedBox {
  readonly bubblewrap: Probe["bubblewrap"];
  readonly problem: Probe["problem"];
  readonly overlay: boolean;
}

function knownBox(path: string, { version, bindsDescriptors, overlay }: BoxTrial): TriedBox {
  return { bubblewrap: { path, version, bindsDescriptors }, problem: null, overlay };
}

function tryBox(architecture: string, path: string | undefined, candidates: readonly string[]): TriedBox {
  const bubblewrap = path === undefined ? null : describeBubblewrap(path);
  const problem = findProblem(architecture, bubblewrap, candidates);
  const overlay = bubblewrap !== null && problem === null && tryOverlay(architecture, bubblewrap.path);
  return { bubblewrap, problem, overlay };
}

function describeBubblewrap(path: string): NonNullable<Probe["bubblewrap"]> {
  const version = /(\d+\.\d+\.\d+)/.exec(runHelper(path, ["--version"]).stdout)?.[1] ?? "unknown";
  return { path, version, bindsDescriptors: runHelper(path, ["--help"]).stdout.includes("--ro-bind-fd") };
}

function findProblem(
  architecture: string,
  bubblewrap: Probe["bubblewrap"],
  candidates: readonly string[],
): Probe["problem"] {
  if (!isFilterable(architecture)) {
    return {
      message: `there is no system call filter for the processor ${architecture}`,
      mend: "run the gate on x64 or arm64",
    };
  }
  if (bubblewrap === null) return missingProgram("bubblewrap", candidates, "bubblewrap");
  if (isOlder(bubblewrap.version)) {
    return {
      message: `bubblewrap ${bubblewrap.version} is too old (0.8.0 is needed)`,
      mend: "sudo apt-get install -y bubblewrap",
    };
  }
  return findBoxProblem((words) => runHelper(bubblewrap.path, [...words, "--", "/bin/true"]));
}

function isOlder(version: string): boolean {
  const parts = version.split(".").map(Number);
  const difference = OLDEST.map((oldest, index) => (parts[index] ?? 0) - oldest).find((step) => step !== 0);
  return difference !== undefined && difference < 0;
}

/** Mounts a small overlay over a directory that always exists, in a private namespace, and starts a box that shows it. */
function tryOverlay(architecture: string, bubblewrap: string): boolean {
  try {
    readNativeProgram("keeper", architecture);
  } catch {
    return false; // SECURITY(T07): the binary does not have the pinned hash, so it is not started
  }
  const words = onceArguments({
    overlay: { lower: existsSync("/dev/shm") ? "/dev/shm" : "/usr", sizeBytes: 1 << 20, fileCount: 100 },
    mountPoint: "/tmp",
    outFd: 1,
    layers: [],
    bubblewrap,
    arguments: [...everyNamespace, "--ro-bind", "/", "/", "--bind", mergedPath("/tmp"), "/tmp", "--", "/bin/true"],
  });
  return runHelper(nativeProgramPath("keeper", architecture), words).exitCode === 0;
}

function findingsOf(boxed: boolean, cgroupHome: CgroupHome | null): ProbeResult[] {
  const isRoot = process.getuid?.() === 0;
  const pids = cgroupHome?.directories.pids !== undefined;
  const memory = cgroupHome?.directories.memory !== undefined;
  const byBox = (how: string): HeldBy =>
    boxed ? { held: "kernel", how, mend: null } : { held: "no", how: "no box can be built", mend: "see above" };
  const delegate = "run the gate under `systemd-run --user --scope -p Delegate=yes`, or as root";
  return [
    { name: "filesystem", ...byBox("only granted paths are mounted in the box") },
    { name: "network", ...byBox("a network namespace of its own, unless granted") },
    {
      name: "processes",
      ...(boxed && (pids || !isRoot)
        ? {
            held: "kernel" as const,
            how: pids ? "pid namespace; counted by a cgroup" : "pid namespace; counted by a limit inside the box",
            mend: null,
          }
        : {
            held: boxed ? ("runtime" as const) : ("no" as const),
            how: boxed ? "pid namespace; not counted" : "process groups",
            mend: delegate,
          }),
    },
    memory
      ? { name: "memory", held: "kernel", how: "a cgroup", mend: null }
      : {
          name: "memory",
          held: "runtime",
          how: "a limit for each process, which shared memory goes around",
          mend: delegate,
        },
    { name: "cpu", held: "kernel", how: "a limit for each process", mend: null },
    { name: "wall_clock", held: "runtime", how: "SIGTERM at the time-out, SIGKILL a second later", mend: null },
    {
      name: "environment",
      ...(boxed
        ? byBox("built from nothing; the gate's own is out of reach")
        : { held: "runtime" as const, how: "built from nothing", mend: null }),
    },
    { name: "syscalls", ...byBox("a seccomp filter") },
  ];
}

/** The problem to report if mkfifo is missing. */
export function mkfifoProblem(): BoxProblem {
  return missingProgram("mkfifo", mkfifoPaths, "coreutils");
}
