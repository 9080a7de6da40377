// Runs a small program of the gate itself and reads what it prints. native/forker starts it, because a large gate would stand still while
// it forks.

import { closeSync, constants, openSync } from "node:fs";
import type { BoxCommandLine } from "../process/box-process.ts";
import type { Forker } from "../process/forker.ts";
import { readPipe } from "../process/pipe-reader.ts";
import { startHelper } from "../process/start.ts";
import type { PipePool } from "./pipe-pool.ts";

/** For output that is left by a process which cannot be known to have ended. */
const DRAIN_MS = 1000;

/** What it printed until its end. The caller sees from that whether it got there. */
export async function forkedOutput(command: BoxCommandLine, forker: Forker, pipes: PipePool): Promise<string> {
  const pipe = pipes.open();
  const nothing = openSync("/dev/null", constants.O_RDWR);
  const chunks: Buffer[] = [];
  const reader = readPipe(pipe.readFd, (chunk) => chunks.push(Buffer.from(chunk)) > 0);
  const descriptors = [
    { fd: nothing, access: "read" },
    { fd: pipe.writeFd, access: "write" },
    { fd: nothing, access: "write" },
  ] as const;
  const helper = startHelper({ ...command, descriptors }, forker);
  await helper.started;
  for (const fd of [nothing, pipe.writeFd]) closeSync(fd);
  await helper.ended;
  await reader.finish(DRAIN_MS);
  pipes.giveBack(pipe.path);
  return Buffer.concat(chunks).toString("utf8");
}
