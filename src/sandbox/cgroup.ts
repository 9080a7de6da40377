// A control group for each call, if this machine lets the gate make one. Only a cgroup limits all of a box's memory, and, if the gate
// runs as root, the number of its processes. Supports cgroup version 1 (one tree per controller) and version 2 (one tree).

import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import type { LaunchLimits } from "../process/launch.ts";
import { markOfThisProcess, mayBeAlive, processMark } from "../process/process-mark.ts";
import { errorCode } from "../shared/error-code.ts";
import { joinPath } from "../shared/path.ts";

type Controller = "memory" | "pids";

/** Where this gate makes its groups: one directory per controller (in version 2 the same for both). */
export interface CgroupHome {
  readonly version: 1 | 2;
  readonly directories: Readonly<Partial<Record<Controller, string>>>;
}

export interface CgroupEvents {
  readonly outOfMemory: boolean;
  readonly tooManyProcesses: boolean;
}

const PREFIX = "sallyport-";
const marked = new RegExp(`^${PREFIX}(${processMark})-`);
let serial = 0;

export class Cgroup {
  readonly #home: CgroupHome;
  readonly #paths: readonly string[];
  readonly #name = `${PREFIX}${markOfThisProcess()}-${serial++}`;

  constructor(home: CgroupHome, limits: LaunchLimits) {
    this.#home = home;
    this.#paths = [...new Set(Object.values(home.directories))].map((directory) => joinPath(directory, this.#name));
    for (const path of this.#paths) mkdirSync(path);
    for (const [controller, file, value] of settings(home, limits)) {
      const path = this.#path(controller);
      if (path !== undefined) writeFileSync(joinPath(path, file), value);
    }
  }

  /** Opens descriptors through which a process joins the group by writing "0". The caller closes them. */
  openDoors(): number[] {
    // native/init has one thread, and moving a single thread takes microseconds. To move a whole process the kernel first waits until
    // no processor is forking, which takes 8 ms and more. Version 2 offers only the slow way.
    const door = this.#home.version === 1 ? "tasks" : "cgroup.procs";
    return this.#paths.map((path) => openSync(joinPath(path, door), "w"));
  }

  events(): CgroupEvents {
    const memoryFile = this.#home.version === 1 ? "memory.oom_control" : "memory.events";
    return {
      outOfMemory: this.#count("memory", memoryFile, "oom_kill") > 0,
      tooManyProcesses: this.#count("pids", "pids.events", "max") > 0,
    };
  }

  /** Call this after the last process has ended. */
  remove(): void {
    for (const path of this.#paths) removeGroup(path);
  }

  #path(controller: Controller): string | undefined {
    const directory = this.#home.directories[controller];
    return directory === undefined ? undefined : joinPath(directory, this.#name);
  }

  #count(controller: Controller, file: string, field: string): number {
    const path = this.#path(controller);
    if (path === undefined) return 0;
    const line = readFileSync(joinPath(path, file), "utf8")
      .split("\n")
      .find((text) => text.startsWith(`${field} `));
    return line === undefined ? 0 : Number(line.slice(field.length + 1));
  }
}

function settings(home: CgroupHome, limits: LaunchLimits): [Controller, string, string][] {
  const memory = String(limits.memoryBytes);
  const processes = String(limits.nproc + 1); // the box's first process counts too
  if (home.version === 2)
    return [
      ["memory", "memory.max", memory],
      ["memory", "memory.swap.max", "0"],
      ["pids", "pids.max", processes],
    ];
  return [
    ["memory", "memory.limit_in_bytes", memory],
    ["pids", "pids.max", processes],
  ];
}

/** Finds a directory where this process may make groups, by making one. */
export function findCgroupHome(): CgroupHome | null {
  const mounts = readLines("/proc/self/mountinfo").map((line) => line.split(" "));
  const own = readLines("/proc/self/cgroup").map((line) => line.split(":"));
  return findVersion1(mounts, own) ?? findVersion2(mounts, own);
}

function findVersion1(mounts: string[][], own: string[][]): CgroupHome | null {
  const directories: Partial<Record<Controller, string>> = {};
  for (const controller of ["memory", "pids"] as const) {
    const mount = mounts.find(
      (fields) => fields.at(-3) === "cgroup" && (fields.at(-1) ?? "").split(",").includes(controller),
    );
    const group = own.find(([, names]) => (names ?? "").split(",").includes(controller))?.[2];
    if (mount?.[4] === undefined || group === undefined) continue;
    const directory = joinPath(mount[4], group.slice(1)).replace(/\/$/, "");
    if (tryGroup(directory, [])) directories[controller] = directory;
  }
  return Object.keys(directories).length === 0 ? null : { version: 1, directories };
}

/** New groups are siblings of the gate's own group, because a group that has processes cannot have limited children. */
function findVersion2(mounts: string[][], own: string[][]): CgroupHome | null {
  const mount = mounts.find((fields) => fields.at(-3) === "cgroup2")?.[4];
  const group = own.find(([id]) => id === "0")?.[2];
  if (mount === undefined || group === undefined) return null;
  const parts = group.split("/").filter((part) => part !== "");
  for (let depth = parts.length; depth >= 0; depth--) {
    const directory = [mount, ...parts.slice(0, depth)].join("/");
    const controllers = readLines(`${directory}/cgroup.subtree_control`).join(" ").split(" ");
    if (!controllers.includes("memory") || !controllers.includes("pids")) continue;
    if (tryGroup(directory, ["memory.max", "pids.max"]))
      return { version: 2, directories: { memory: directory, pids: directory } };
  }
  return null;
}

/** True if the gate can make a group there, the group has the files, and the gate may move processes into it. */
function tryGroup(directory: string, files: readonly string[]): boolean {
  const path = joinPath(directory, `${PREFIX}${markOfThisProcess()}-probe`);
  try {
    mkdirSync(path);
  } catch {
    return false;
  }
  try {
    for (const file of [...files, "cgroup.procs"]) closeSync(openSync(joinPath(path, file), "r+"));
    // The kernel also checks write permission on the cgroup.procs of the common ancestor.
    closeSync(openSync(joinPath(directory, "cgroup.procs"), "r+"));
    return true;
  } catch {
    return false;
  } finally {
    removeGroup(path);
  }
}

/** Removes groups of gates that have ended. */
export function sweepCgroups(home: CgroupHome): void {
  for (const directory of new Set(Object.values(home.directories))) {
    for (const name of readdirSync(directory)) {
      const mark = marked.exec(name)?.[1];
      if (mark !== undefined && !mayBeAlive(mark)) removeGroup(joinPath(directory, name));
    }
  }
}

function removeGroup(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    // The group can be busy for a moment after its last process ended. The next gate that starts sweeps it.
    if (!["ENOENT", "EBUSY"].includes(errorCode(error))) throw error;
  }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").trim().split("\n");
  } catch {
    return [];
  }
}
