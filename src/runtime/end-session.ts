// Ends the programs of a session for a person, so that it can be discarded.
// Invariant: only the first process of a box that the session lists is ended, and the kernel ends all others of that box with it.

import { setTimeout as sleep } from "node:timers/promises";
import { draftPath } from "../sandbox/draft-list.ts";
import { hasRunningBoxes } from "../sandbox/draft-in-use.ts";
import { errorCode } from "../shared/error-code.ts";
import { isRunning, type ListedBox, runningBoxes } from "../store/running-boxes.ts";
import type { ListedSession } from "./listed-session.ts";

const WAIT_MS = 5_000;

/** A box is listed when it has run for a second. */
export function boxesOfSession(
  stateDirectory: string,
  { agent, session, project }: ListedSession,
): readonly ListedBox[] {
  return runningBoxes(stateDirectory).filter(
    (box) => box.agent === agent && box.session === session && box.project === project,
  );
}

/** Their gates say that the box was ended, and exit. False if something of the session still runs. */
export async function endBoxes(
  stateDirectory: string,
  listed: ListedSession,
  boxes: readonly ListedBox[],
): Promise<boolean> {
  if (listed.project === null) return true;
  for (const box of boxes) if (isRunning(box)) endProcess(box.pid);
  const directory = draftPath(stateDirectory, listed);
  for (const until = Date.now() + WAIT_MS; hasRunningBoxes(directory) && Date.now() < until;) await sleep(20);
  return !hasRunningBoxes(directory);
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error; // it has just ended
  }
}
