// Runs native/init outside a box, around a program that the gate starts for the person. When the gate ends, for whatever reason, the
// pipe between them closes, and native/init ends the program and its process group.

import { closeSync, readSync } from "node:fs";
import type { ProcessGuardian } from "../process/process-guardian.ts";
import { environmentBlock, initArguments, parseInitReport } from "./init-program.ts";
import type { PipePool } from "./pipe-pool.ts";
import { openText } from "./text-file.ts";

const STATUS_FD = 3;
const ENVIRONMENT_FD = 4;
const REPORT_BYTES = 64;

/** `directory`: the gate's private scratch directory. */
export function createProcessGuardian(init: string, pipes: PipePool, directory: string): ProcessGuardian {
  return {
    keep(argv, environment) {
      const status = pipes.open();
      const open = new Set([status.readFd, status.writeFd]);
      const release = (...fds: readonly number[]) => {
        for (const fd of fds) if (open.delete(fd)) closeSync(fd);
      };
      const variables = openText(environmentBlock(Object.entries(environment)), directory);
      open.add(variables);
      return {
        file: init,
        args: initArguments({
          statusFd: STATUS_FD,
          cgroupFds: [],
          limits: [],
          environmentFd: ENVIRONMENT_FD,
          goFd: null,
          argv,
        }),
        descriptors: [status.writeFd, variables],
        started: () => release(status.writeFd, variables),
        // SECURITY(T36): no other process holds this end. The kernel closes it too if the gate is killed.
        end: () => release(status.readFd),
        exitCode: () => (open.has(status.readFd) ? readExitCode(status.readFd) : null),
        close() {
          release(...open);
          pipes.giveBack(status.path);
        },
      };
    },
  };
}

function readExitCode(fd: number): number | null {
  const buffer = Buffer.alloc(REPORT_BYTES);
  try {
    const report = parseInitReport(buffer.subarray(0, readSync(fd, buffer)));
    return report?.kind === "ended" ? report.exitCode : null;
  } catch {
    return null; // native/init has not reported
  }
}
