// Runs one command that has native/init in it, from start to outcome: pipes, deadline, cgroup, report.
// Both starters use it; they differ in the command, in how it is ended, and in what was held.

import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import { Socket } from "node:net";
import { startDeadline } from "../process/deadline.ts";
import type { Launch } from "../process/launch.ts";
import type { Enforced, LimitHit, Outcome } from "../process/outcome.ts";
import { OutputCapture } from "../process/output.ts";
import { type BoxCommand, startBox } from "../process/start.ts";
import type { OutputStream, RunListener } from "../process/starter.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { Cgroup, type CgroupEvents, type CgroupHome } from "./cgroup.ts";
import { type InitCall, type InitReport, initArguments, parseInitReport, resourceLimits } from "./init-program.ts";
import type { PipeEnds, PipePool } from "./pipe-pool.ts";
import { openStdin } from "./stdin-file.ts";

export interface RunParts {
  readonly launch: Launch;
  readonly listener: RunListener;
  readonly pipes: PipePool;
  readonly cgroupHome: CgroupHome | null;
  readonly stdinDirectory: string;
  readonly enforced: Enforced;
  /** More descriptors for the command, after the fixed ones. Closed by us when it has started. */
  readonly extraDescriptors: readonly number[];
  command(fixed: FixedDescriptors, initArguments: readonly string[]): BoxCommand;
  /** The process to signal so that SIGTERM reaches the program and SIGKILL all of it; null while it is not known. */
  findInit(box: ChildProcess, boxStatus: string): number | null;
  /** Ends what may be left after the command is gone. */
  cleanUp(box: ChildProcess): void;
}

/** Where the command finds what: 3 bubblewrap's status, 4 init's status, then the doors of cgroups, then extras. */
export interface FixedDescriptors {
  readonly descriptors: readonly number[];
  readonly boxStatusFd: 3;
  readonly initStatusFd: 4;
  readonly firstExtraFd: number;
}

export async function runBox(parts: RunParts): Promise<Result<Outcome>> {
  const { launch, listener, pipes } = parts;
  const { step, confinement } = launch;
  const startedMs = performance.now();
  const cgroup = parts.cgroupHome === null ? null : new Cgroup(parts.cgroupHome, confinement.limits);
  const doors = cgroup?.openDoors() ?? [];
  const opened = [pipes.open(), pipes.open(), pipes.open(), pipes.open()] as const;
  const [stdout, stderr, boxStatus, initStatus] = opened;
  const stdin = openStdin(step.stdin, parts.stdinDirectory);
  const childEnds = [stdin, stdout.writeFd, stderr.writeFd, boxStatus.writeFd, initStatus.writeFd, ...doors, ...parts.extraDescriptors];
  const call: InitCall = {
    statusFd: 4,
    cgroupFds: doors.map((_, index) => 5 + index),
    limits: resourceLimits(confinement.limits, {
      memory: parts.cgroupHome?.directories.memory !== undefined,
      processes: parts.cgroupHome?.directories.pids !== undefined,
    }),
    environment: step.environment,
    argv: step.argv,
  };
  const fixed: FixedDescriptors = { descriptors: childEnds, boxStatusFd: 3, initStatusFd: 4, firstExtraFd: 5 + doors.length };
  let box: ChildProcess;
  try {
    box = startBox(launch, parts.command(fixed, initArguments(call)));
  } finally {
    for (const fd of childEnds) closeSync(fd);
  }

  const captures = { stdout: new OutputCapture(step.stdoutBytes), stderr: new OutputCapture(step.stderrBytes) };
  const readers = [
    readOutput("stdout", stdout.readFd, captures.stdout, listener),
    readOutput("stderr", stderr.readFd, captures.stderr, listener),
  ];
  const ending = endingOf(box, parts, boxStatus);
  const deadline = startDeadline(step.timeoutMs, listener.signal, ending);
  const startError = await new Promise<Error | null>((resolve) => {
    box.once("error", resolve);
    box.once("exit", () => resolve(null));
  });
  deadline.clear();
  parts.cleanUp(box);
  await Promise.all(readers.map((reader) => reader.finished(limits.drainMs)));
  const report = parseInitReport(readAvailable(initStatus.readFd));
  closeSync(initStatus.readFd);
  closeSync(boxStatus.readFd);
  for (const { path } of opened) pipes.giveBack(path);
  const events = cgroup?.events() ?? { outOfMemory: false, tooManyProcesses: false };
  cgroup?.remove();

  const output = { stdout: captures.stdout.result(), stderr: captures.stderr.result() };
  const ended = readReport(report, startError, output.stderr.text, deadline.timedOut || deadline.cancelled || events.outOfMemory, step.argv[0] ?? "");
  if (!ended.ok) return ended;
  return ok({
    ...ended.value,
    ...output,
    durationMs: performance.now() - startedMs,
    timedOut: deadline.timedOut,
    cancelled: deadline.cancelled,
    limitHit: limitHit(ended.value.signal, events, output.stdout.truncated || output.stderr.truncated),
    enforced: parts.enforced,
  });
}

function endingOf(box: ChildProcess, parts: RunParts, boxStatus: PipeEnds): { terminate(): void; kill(): void } {
  let status = "";
  const init = () => {
    status += readAvailable(boxStatus.readFd).toString("utf8");
    return parts.findInit(box, status);
  };
  const isOver = () => box.exitCode !== null || box.signalCode !== null;
  const terminate = () => {
    if (isOver()) return;
    const pid = init();
    // Not built yet: killing bubblewrap half way could leave its child waiting for it for ever.
    if (pid === null) setTimeout(terminate, 2).unref();
    else signal(pid, "SIGTERM");
  };
  return {
    terminate,
    kill() {
      if (isOver()) return;
      const pid = init();
      if (pid !== null) signal(pid, "SIGKILL");
      else box.kill("SIGKILL");
    },
  };
}

function signal(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it was faster
  }
}

interface OutputReader {
  /** Until the last writer is gone and all is read; a writer that is not ours to end gets `drainMs`. */
  finished(drainMs: number): Promise<void>;
}

const READ_BYTES = 64 * 1024;

function readOutput(stream: OutputStream, fd: number, capture: OutputCapture, listener: RunListener): OutputReader {
  const { onOutput } = listener;
  // The bytes land in one buffer again and again: a program that prints for ever costs no memory.
  const options = {
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback(count: number, buffer: Uint8Array): boolean {
        const chunk = buffer.subarray(0, count);
        capture.push(chunk);
        const wait = onOutput?.(stream, chunk);
        if (wait === undefined) return true;
        socket.pause();
        wait.finally(() => socket.resume()).catch(() => undefined); // the listener's own trouble is not the run's
        return false;
      },
    },
  };
  const socket = new Socket(options as ConstructorParameters<typeof Socket>[0]);
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.on("error", () => socket.destroy());
    socket.once("end", () => socket.destroy());
  });
  socket.resume();
  return {
    async finished(drainMs) {
      const timer = onOutput === undefined ? setTimeout(() => socket.destroy(), drainMs) : undefined;
      await closed;
      clearTimeout(timer);
    },
  };
}

/** What stands in a pipe now, without waiting. */
function readAvailable(fd: number): Buffer {
  const buffer = Buffer.alloc(4096);
  try {
    return buffer.subarray(0, readSync(fd, buffer));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return buffer.subarray(0, 0);
    throw error;
  }
}

function readReport(
  report: InitReport | null,
  startError: Error | null,
  stderr: string,
  wasKilled: boolean,
  program: string,
): Result<{ exitCode: number | null; signal: string | null }> {
  if (startError !== null) return fail("sandbox_unavailable", `The box could not be started: ${startError.message}`);
  if (report?.kind === "ended") return ok({ exitCode: report.exitCode, signal: report.signal });
  if (report?.kind === "refused") {
    if (report.what === "exec") return notExecutable(program, report.errno);
    return fail("sandbox_unavailable", `The box could not set up its ${report.what} (${report.errno}). Nothing ran.`);
  }
  if (wasKilled) return ok({ exitCode: null, signal: "SIGKILL" });
  const said = stderr.trim().split("\n").at(-1) ?? "";
  return fail("sandbox_unavailable", `The box could not be built${said === "" ? "" : `: ${said}`}. Nothing ran.`, {
    hint: "`sallyport doctor` shows what this machine lacks.",
  });
}

const execReasons: Readonly<Record<string, string>> = {
  ENOENT: "it, or the interpreter that it names, is not there in the box",
  EACCES: "it may not be executed, or its interpreter is not granted",
  ENOEXEC: "it is neither a program nor a script that begins with #!",
  E2BIG: "its arguments and environment are too long",
  ELOOP: "its path has too many links",
  ETXTBSY: "somebody has it open for writing",
};

function notExecutable(program: string, errno: string): Result<never> {
  return fail("invalid_args", `argv[0]: ${program} could not be executed: ${execReasons[errno] ?? errno}.`, {
    hint: "Name a program that the agent's fs_grants cover, together with its interpreter.",
  });
}

/** Only what a signal, a control group or our own cap says; a program that gives up by itself just exits. */
function limitHit(signal: string | null, events: CgroupEvents, cut: boolean): LimitHit | null {
  if (events.outOfMemory) return "memory";
  if (signal === "SIGXCPU") return "cpu";
  if (signal === "SIGXFSZ") return "fsize";
  if (events.tooManyProcesses) return "nproc";
  return cut ? "output" : null;
}

export function openPath(path: string): number {
  const O_PATH = 0o10000000;
  const O_NOFOLLOW = 0o400000;
  return openSync(path, O_PATH | O_NOFOLLOW);
}
