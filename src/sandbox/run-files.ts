// The descriptors and the cgroup of one run: opened together, given to the command by fixed numbers, closed whatever happens.

import { closeSync, openSync, readSync, writeSync } from "node:fs";
import type { Descriptor } from "../process/box-process.ts";
import { errorCode } from "../shared/error-code.ts";
import { Cgroup } from "./cgroup.ts";
import { environmentBlock } from "./init-program.ts";
import type { PipeEnds } from "./pipe-pool.ts";
import type { BoxRun } from "./run-box.ts";
import { openText } from "./text-file.ts";

// What the command finds where: 0, 1, 2, bubblewrap's status, init's status, the environment, the gate's word to go, then the doors of
// cgroups, then extras, then the changes of a workspace in memory.
export const BOX_STATUS_FD = 3;
export const INIT_STATUS_FD = 4;
export const ENVIRONMENT_FD = 5;
export const GO_FD = 6;
export const FIRST_FREE_FD = 7;

export interface RunFiles {
  readonly cgroup: Cgroup | null;
  readonly doors: readonly number[];
  /** In the order in which the command gets them. */
  readonly childFds: readonly Descriptor[];
  closeChildFds(): void;
  /** Until then the program is not started; and never, if `holdBack` comes first. */
  letGo(): void;
  holdBack(): void;
  /** The taker closes it. */
  takeStdout(): number;
  takeStderr(): number;
  /** The end to write the program's input to; null: it has a text, or none. */
  takeInput(): number | null;
  /** null: there is no workspace in memory. */
  takeTree(): number | null;
  /** What stands there now, without waiting. */
  readBoxStatus(): string;
  readInitStatus(): Buffer;
  close(): void;
}

export function openRunFiles(run: BoxRun): RunFiles {
  const open = new Set<number>(run.extra.map(({ fd }) => fd));
  const pipes: PipeEnds[] = [];
  let cgroup: Cgroup | null = null;
  const hold = (fd: number): number => (open.add(fd), fd);
  const release = (fds: Iterable<number>): void => {
    for (const fd of fds) if (open.delete(fd)) closeSync(fd);
  };
  const openPipe = (kind: "plain" | "lasting" = "plain"): PipeEnds => {
    const ends = run.pipes.open(kind);
    pipes.push(ends);
    open.add(ends.readFd).add(ends.writeFd);
    return ends;
  };
  const close = () => {
    release([...open]);
    for (const { path } of pipes) run.pipes.giveBack(path);
    cgroup?.remove();
  };
  try {
    cgroup = run.cgroupHome === null ? null : new Cgroup(run.cgroupHome, run.launch.confinement.limits);
    const doors = (cgroup?.openDoors() ?? []).map(hold);
    const { step } = run.launch;
    const input = step.stdin === null && run.listener.input !== undefined ? openPipe() : null;
    const stdin = input?.readFd ?? hold(openStdin(step.stdin, run));
    const environment = hold(openText(environmentBlock(step.environment), run.directory));
    const [stdout, stderr, initStatus] = [openPipe(), openPipe(), openPipe()];
    // SECURITY(T10): if the gate is gone, a plain one would end bubblewrap with SIGPIPE, and its child would wait for it for ever.
    const boxStatus = openPipe("lasting");
    const go = openPipe();
    const tree = run.tree === null ? null : openPipe();
    const childFds: Descriptor[] = [
      { fd: stdin, access: "read" },
      { fd: stdout.writeFd, access: "write" },
      { fd: stderr.writeFd, access: "write" },
      { fd: boxStatus.writeFd, access: "both" },
      { fd: initStatus.writeFd, access: "write" },
      { fd: environment, access: "read" },
      { fd: go.readFd, access: "read" },
      ...doors.map((fd): Descriptor => ({ fd, access: "write" })),
      ...run.extra,
      ...(tree === null ? [] : [{ fd: tree.writeFd, access: "write" } as const]),
    ];
    const take = (fd: number): number => (open.delete(fd), fd);
    return {
      cgroup,
      doors,
      childFds,
      closeChildFds: () => release(childFds.map(({ fd }) => fd)),
      letGo() {
        if (!open.has(go.writeFd)) return; // the run is over, and the number may be another file's
        writeIfRead(go.writeFd);
        release([go.writeFd]);
      },
      holdBack: () => release([go.writeFd]),
      takeStdout: () => take(stdout.readFd),
      takeStderr: () => take(stderr.readFd),
      takeInput: () => (input === null ? null : take(input.writeFd)),
      takeTree: () => (tree === null ? null : take(tree.readFd)),
      readBoxStatus: () => readAvailable(boxStatus.readFd).toString("utf8"),
      readInitStatus: () => readAvailable(initStatus.readFd),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function openStdin(text: string | null, { directory }: BoxRun): number {
  return text === null ? openSync("/dev/null", "r") : openText(text, directory);
}

/** Who does not read any more has ended before, and why is said elsewhere. */
function writeIfRead(fd: number): void {
  try {
    writeSync(fd, "g");
  } catch (error) {
    if (errorCode(error) !== "EPIPE") throw error;
  }
}

function readAvailable(fd: number): Buffer {
  const buffer = Buffer.alloc(4096);
  try {
    return buffer.subarray(0, readSync(fd, buffer));
  } catch (error) {
    if (errorCode(error) === "EAGAIN") return buffer.subarray(0, 0);
    throw error;
  }
}
