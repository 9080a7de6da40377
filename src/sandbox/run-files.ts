// The descriptors and the cgroup of one run: opened together, passed to the command under fixed numbers, and always closed.

import { closeSync, openSync, readSync, writeSync } from "node:fs";
import type { Descriptor } from "../process/box-process.ts";
import type { TerminalSize } from "../process/starter.ts";
import { errorCode } from "../shared/error-code.ts";
import { Cgroup } from "./cgroup.ts";
import { environmentBlock } from "./init-program.ts";
import type { PipeEnds } from "./pipe-pool.ts";
import type { BoxRun } from "./run-box.ts";
import { openText } from "./text-file.ts";

// The descriptors of the command, in order: 0, 1, 2, bubblewrap's status, init's status, the environment, the gate's signal to start,
// the cgroup descriptors, the sizes of a terminal, the extras, and the changes of a workspace in memory.
export const BOX_STATUS_FD = 3;
export const INIT_STATUS_FD = 4;
export const ENVIRONMENT_FD = 5;
export const GO_FD = 6;
export const FIRST_FREE_FD = 7;

export interface RunFiles {
  readonly cgroup: Cgroup | null;
  readonly doors: readonly number[];
  /** The command's number of the pipe with the sizes of a terminal. Null if the program gets none. */
  readonly terminalFd: number | null;
  /** The command's number of the first extra descriptor. */
  readonly firstExtraFd: number;
  /** In the order of the command's descriptor numbers. */
  readonly childFds: readonly Descriptor[];
  closeChildFds(): void;
  /** Starts the program. If `holdBack` is called first, the program never starts. */
  letGo(): void;
  holdBack(): void;
  /** The caller closes the descriptor. */
  takeStdout(): number;
  takeStderr(): number;
  /** The write end of the program's input. Null if the input is a fixed text or absent. */
  takeInput(): number | null;
  /** Changes the size of the program's terminal, if it has one. */
  resize(size: TerminalSize): void;
  /** Null if the box shows no workspace in memory. */
  takeTree(): number | null;
  /** Reads what is available now, without waiting. */
  readBoxStatus(): string;
  readInitStatus(): Buffer;
  close(): void;
}

export function openRunFiles(run: BoxRun): RunFiles {
  const open = new Set<number>(ownFds(run.extra));
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
    // SECURITY(T10): with a plain pipe, if the gate ends, SIGPIPE would end bubblewrap, and its child would wait forever.
    const boxStatus = openPipe("lasting");
    const go = openPipe();
    const tree = run.tree === null ? null : openPipe();
    const sizes = run.listener.terminal === undefined ? null : openPipe();
    const firstExtraFd = FIRST_FREE_FD + doors.length + (sizes === null ? 0 : 1);
    const childFds: Descriptor[] = [
      { fd: stdin, access: "read" },
      { fd: stdout.writeFd, access: "write" },
      { fd: stderr.writeFd, access: "write" },
      { fd: boxStatus.writeFd, access: "both" },
      { fd: initStatus.writeFd, access: "write" },
      { fd: environment, access: "read" },
      { fd: go.readFd, access: "read" },
      ...doors.map((fd): Descriptor => ({ fd, access: "write" })),
      ...(sizes === null ? [] : [{ fd: sizes.readFd, access: "read" } as const]),
      ...run.extra,
      ...(tree === null ? [] : [{ fd: tree.writeFd, access: "write" } as const]),
    ];
    const take = (fd: number): number => (open.delete(fd), fd);
    return {
      cgroup,
      doors,
      terminalFd: sizes === null ? null : firstExtraFd - 1,
      firstExtraFd,
      childFds,
      closeChildFds: () => release(ownFds(childFds)),
      letGo() {
        if (!open.has(go.writeFd)) return; // the run is over, and the descriptor number may belong to another file
        writeIfRead(go.writeFd, Buffer.from("g"));
        release([go.writeFd]);
      },
      holdBack: () => release([go.writeFd]),
      takeStdout: () => take(stdout.readFd),
      takeStderr: () => take(stderr.readFd),
      takeInput: () => (input === null ? null : take(input.writeFd)),
      resize({ rows, columns }) {
        if (sizes === null || !open.has(sizes.writeFd)) return;
        writeIfRead(sizes.writeFd, new Uint8Array(Uint16Array.of(rows, columns).buffer));
      },
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

function ownFds(descriptors: readonly Descriptor[]): number[] {
  return descriptors.map(({ fd }) => fd).filter((fd) => fd !== null);
}

function openStdin(text: string | null, { directory }: BoxRun): number {
  return text === null ? openSync("/dev/null", "r") : openText(text, directory);
}

/** If nobody reads any more, native/init has ended, and its report says why. */
function writeIfRead(fd: number, bytes: Uint8Array): void {
  try {
    writeSync(fd, bytes);
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
