// Runs one command that contains native/init, from start to outcome: pipes, deadline, cgroup, report. Both starters use it. They differ
// in the command, in the process to signal, and in what is enforced.

import { setTimeout as sleep } from "node:timers/promises";
import {
  type BoxCommandLine,
  type BoxProcess,
  type Descriptor,
  KilledProcess,
  LostProcess,
  type SocketReceiver,
} from "../process/box-process.ts";
import { type Ending, startDeadline } from "../process/deadline.ts";
import type { Forker } from "../process/forker.ts";
import type { Launch } from "../process/launch.ts";
import type { Enforced, LimitHit, Outcome } from "../process/outcome.ts";
import { OutputCapture } from "../process/output.ts";
import { feedInput } from "../process/input-writer.ts";
import { readOutput } from "../process/output-reader.ts";
import { startOf } from "../process/process-mark.ts";
import { startBox } from "../process/start.ts";
import type { RunListener } from "../process/starter.ts";
import { errorCode } from "../shared/error-code.ts";
import { limits } from "../shared/limits.ts";
import { ok, type Result } from "../shared/result.ts";
import { readEnd } from "./box-end.ts";
import type { CgroupEvents, CgroupHome } from "./cgroup.ts";
import { type DiskWatch, MACHINE_FULL, watchDisk } from "./disk-watch.ts";
import { DRAFT_FULL, type DraftUse } from "./draft-use.ts";
import { cpuMsOf, initArguments, ordinaryPriority, parseInitReport, resourceLimits } from "./init-program.ts";
import type { PipePool } from "./pipe-pool.ts";
import { ENVIRONMENT_FD, FIRST_FREE_FD, GO_FD, INIT_STATUS_FD, openRunFiles, type RunFiles } from "./run-files.ts";
import { noticeRunning } from "./running-notice.ts";
import { readTree } from "./tree-reader.ts";
import type { TreeBounds } from "./tree-stream.ts";

const MiB = 1024 * 1024;

export interface BoxRun {
  readonly launch: Launch;
  readonly listener: RunListener;
  /** See `Starter`. */
  readonly dispatched: () => void | Promise<void>;
  readonly pipes: PipePool;
  readonly cgroupHome: CgroupHome | null;
  /** The gate's private scratch directory. */
  readonly directory: string;
  readonly enforced: Enforced;
  readonly forker: Forker;
  /** Takes what the box sends through a channel, if it has one. */
  readonly receiver?: SocketReceiver | undefined;
  /** Descriptors that the command needs besides the fixed ones. `runBox` closes them once the command has started. */
  readonly extra: readonly Descriptor[];
  /** What the draft that the box shows takes on the disk. Null if it shows none. */
  readonly draftUse: DraftUse | null;
  /** If not null, the command writes what the program changed to one more descriptor, after the extra ones. */
  readonly tree: TreeBounds | null;
  /** `firstExtraFd`: the number of the first extra descriptor in the command. */
  command(init: readonly string[], firstExtraFd: number): BoxCommandLine;
  /** The process to signal: from there SIGTERM reaches the program, and SIGKILL ends everything. Null while it is not known. */
  findInit(box: BoxProcess, boxStatus: string): number | "ended" | null;
  /** Whether the box's first process ran. If so, something ran, even if there is no report of its end. */
  didStart(boxStatus: string): boolean;
  /** Ends processes that may be left after the command has ended. */
  cleanUp(box: BoxProcess): void;
}

export async function runBox(run: BoxRun): Promise<Result<Outcome>> {
  const { launch, listener } = run;
  const { step } = launch;
  const startedMs = performance.now();
  const files = openRunFiles(run);
  try {
    const init = initArguments({
      statusFd: INIT_STATUS_FD,
      cgroupFds: files.doors.map((_, index) => FIRST_FREE_FD + index),
      limits: [...ordinaryPriority, ...resourceLimits(launch.confinement.limits, run.cgroupHome?.directories ?? {})],
      // SECURITY(T13): uses the box's /dev/null. With a descriptor of the gate, a program of root could change the machine's.
      ...(step.stdin === null && listener.input === undefined ? { input: "/dev/null" } : {}),
      terminalFd: files.terminalFd,
      environmentFd: ENVIRONMENT_FD,
      goFd: GO_FD,
      argv: step.argv,
    });
    const command = run.command(init, files.firstExtraFd);
    if (listener.terminal !== undefined) files.resize(listener.terminal.size);
    const stopResizing = listener.terminal?.watch((size) => files.resize(size));
    const box = startBox(launch, { ...command, descriptors: files.childFds, receiver: run.receiver }, run.forker);
    void box.started.then(() => files.closeChildFds());
    const isLetGo = letGo(run.dispatched, files);

    const stdout = new OutputCapture(step.stdoutBytes);
    const stderr = new OutputCapture(step.stderrBytes);
    const readers = [
      readOutput("stdout", files.takeStdout(), stdout, listener),
      readOutput("stderr", files.takeStderr(), stderr, listener),
    ];
    const inputFd = files.takeInput();
    const isFed = inputFd === null ? null : feedInput(inputFd, listener.input ?? []);
    const treeFd = files.takeTree();
    const tree = treeFd === null || run.tree === null ? null : readTree(treeFd, run.tree);
    const ending = endingOf(box, run, files);
    const deadline = startDeadline(step.timeoutMs, listener.signal, ending);
    // SECURITY(T44): a size limit per file does not limit the number of files.
    const disk = watchDisk({
      mounts: launch.confinement.mounts,
      layers: launch.confinement.layers,
      bytes: launch.confinement.limits.diskBytes ?? limits.diskMb * MiB,
      draft: run.draftUse,
      init: () => numberOrNull(box.isOver ? "ended" : run.findInit(box, ending.boxStatus())),
      end: () => ending.kill(),
    });
    const endNotice = noticeRunning(run.enforced.network === "no" ? {} : listener, () =>
      numberOrNull(box.isOver ? "ended" : run.findInit(box, ending.boxStatus())),
    );
    let lateTree: NodeJS.Timeout | undefined;
    let isWaiting = true;
    void tree?.begun.then(() => {
      deadline.clear(); // the program ended in time; reporting its changes has a separate time limit
      // The box may have ended before the gate reads the first record. A timer would then outlive the call.
      if (isWaiting) lateTree = setTimeout(() => box.kill(), limits.treeReadMs);
    });
    const startError = await box.ended;
    isWaiting = false;
    disk.stop();
    endNotice();
    if (startError instanceof LostProcess) ending.kill();
    if (startError instanceof KilledProcess) await untilGone(run.findInit(box, ending.boxStatus()));
    deadline.clear();
    clearTimeout(lateTree);
    run.cleanUp(box);
    stopResizing?.();
    await isFed?.stop();
    await Promise.all(readers.map((reader) => reader.finish(limits.drainMs)));
    const changes = (await tree?.finish(limits.drainMs)) ?? null;
    const fault = await isLetGo;
    if (fault !== null) throw fault.error;

    const events = files.cgroup?.events() ?? { outOfMemory: false, tooManyProcesses: false };
    const output = { stdout: stdout.result(), stderr: stderr.result() };
    const wasKilled =
      deadline.timedOut ||
      deadline.cancelled ||
      disk.hit !== null ||
      events.outOfMemory ||
      run.didStart(ending.boxStatus());
    const status = files.readInitStatus();
    const end = readEnd(parseInitReport(status), startError, wasKilled, step.argv[0] as string, output.stderr.text);
    if (!end.ok) return end;
    const used = { signal: end.value.signal, cpuMs: cpuMsOf(status) };
    const hit =
      disk.hit !== null ? "disk" : limitHit(used, run, events, output.stdout.truncated || output.stderr.truncated);
    return ok({
      ...end.value,
      ...output,
      durationMs: performance.now() - startedMs,
      // Unless the configuration sets it, the limit of processor time equals the time-out. Then hitting it counts as timed out.
      timedOut: deadline.timedOut || (hit === "cpu" && launch.confinement.limits.cpuS * 1000 >= step.timeoutMs),
      cancelled: deadline.cancelled,
      limitHit: hit,
      ...hintOfDisk(disk.hit),
      enforced: run.enforced,
      changes,
    });
  } finally {
    files.close();
  }
}

function hintOfDisk(hit: DiskWatch["hit"]): { readonly hint?: string } {
  if (hit === "draft") return { hint: DRAFT_FULL };
  return hit === "machine" ? { hint: MACHINE_FULL } : {};
}

/**
 * Lets the program start once `dispatched` is done. The box is already being built meanwhile. If `dispatched` fails, the program never
 * starts, the box ends, and only then is the error thrown.
 */
async function letGo(dispatched: BoxRun["dispatched"], files: RunFiles): Promise<{ readonly error: unknown } | null> {
  try {
    const written = dispatched();
    if (written !== undefined) await written; // a synchronous record has been written by now, so this avoids a turn of the event loop
    files.letGo();
    return null;
  } catch (error) {
    files.holdBack();
    return { error };
  }
}

interface BoxEnding extends Ending {
  boxStatus(): string;
}

function endingOf(box: BoxProcess, run: BoxRun, files: RunFiles): BoxEnding {
  let status = "";
  const boxStatus = (): string => (status += files.readBoxStatus());
  const findInit = () => run.findInit(box, boxStatus());
  const terminate = () => {
    if (box.isOver) return;
    const pid = findInit();
    // The box is not built yet. Killing bubblewrap now could leave its child waiting forever.
    if (pid === null) setTimeout(terminate, 2);
    else if (pid !== "ended") signal(pid, "SIGTERM");
  };
  const kill = () => {
    if (box.isOver) return;
    const pid = findInit();
    if (pid === null) box.kill();
    else if (pid !== "ended") signal(pid, "SIGKILL");
  };
  return { terminate, kill, boxStatus };
}

function signal(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error; // the process has ended already
  }
}

/** The kernel ends a box whose bubblewrap was killed, but not before the gate learns of it. */
async function untilGone(pid: number | "ended" | null): Promise<void> {
  const until = performance.now() + limits.killGraceMs;
  while (typeof pid === "number" && startOf(pid) !== undefined && performance.now() < until) await sleep(5);
}

function numberOrNull(pid: number | "ended" | null): number | null {
  return typeof pid === "number" ? pid : null;
}

interface Used {
  readonly signal: string | null;
  readonly cpuMs: number;
}

// The limit counts clock ticks, but the report counts exact time. On a busy machine the report was seen to be a fifth lower.
const CPU_SHARE = 0.5;

/**
 * Which limit ended the program, as shown by a signal, a cgroup or the gate's cap on output. A program that stops by itself just exits.
 * SECURITY(T45): a signal counts only if the program cannot have sent it: SIGXCPU if the processor time was used, SIGXFSZ if the filter
 * keeps programs from sending it.
 */
function limitHit(
  { signal, cpuMs }: Used,
  { launch, enforced }: BoxRun,
  events: CgroupEvents,
  isCut: boolean,
): LimitHit | null {
  if (events.outOfMemory) return "memory";
  if (signal === "SIGXCPU" && cpuMs >= launch.confinement.limits.cpuS * 1000 * CPU_SHARE) return "cpu";
  if (signal === "SIGXFSZ" && enforced.syscalls === "kernel") return "fsize";
  if (events.tooManyProcesses) return "nproc";
  return isCut ? "output" : null;
}
