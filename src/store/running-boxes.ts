// The boxes that run now and have a network of their own. Each is a file in the state directory, named by the mark of its first process.
// A gate writes it when the box has run for a second, so short calls write none.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { makeDirectories } from "../process/make-directories.ts";
import { namesIn } from "../process/names-in.ts";
import { markOfProcess, mayBeAlive } from "../process/process-mark.ts";
import { listeningPorts } from "../process/tcp-table.ts";
import { errorCode } from "../shared/error-code.ts";

export interface RunningBox {
  readonly call: string;
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
  readonly project: string;
  /** The first process of the box, as this machine numbers it. */
  readonly pid: number;
  /** Ports at the box's own localhost where the gate listens. */
  readonly gatePorts: readonly number[];
}

export interface ListedBox extends RunningBox {
  /** Of its first process: another process can have the number later. */
  readonly mark: string;
}

/** Returns what takes the box off the list again. A box that cannot be listed runs on: the call does not depend on it. */
export function announceBox(stateDirectory: string, box: RunningBox): () => void {
  const directory = directoryOf(stateDirectory);
  const mark = markOfProcess(box.pid);
  if (mark === null) return () => undefined; // it has just ended
  const path = `${directory}/${mark}`;
  try {
    makeDirectories(directory, 0o700);
    writeFileSync(path, JSON.stringify(box), { mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === "") throw error;
  }
  return () => rmSync(path, { force: true });
}

export function runningBoxes(stateDirectory: string): readonly ListedBox[] {
  const directory = directoryOf(stateDirectory);
  return namesIn(directory).flatMap((mark): ListedBox[] => {
    const path = `${directory}/${mark}`;
    if (!mayBeAlive(mark)) rmSync(path, { force: true }); // of a gate that was killed
    const box = readBox(path);
    if (box === null) return [];
    const listed = { ...box, mark };
    return isRunning(listed) ? [listed] : [];
  });
}

/** Ports of servers that programs in the box have started. No program in a box can listen below 1024; the gate does. */
export function portsOfBox({ pid, gatePorts }: RunningBox): readonly number[] {
  return listeningPorts(pid).filter((port) => port >= 1024 && !gatePorts.includes(port));
}

export function isRunning({ pid, mark }: ListedBox): boolean {
  return markOfProcess(pid) === mark;
}

function readBox(path: string): RunningBox | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as RunningBox;
  } catch {
    return null; // taken off the list meanwhile, or half written
  }
}

function directoryOf(stateDirectory: string): string {
  return `${stateDirectory}/boxes`;
}
