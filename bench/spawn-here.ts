// A program started by this process as node starts one, with nothing around it.

import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";

export interface SpawnOptions {
  readonly shell?: boolean;
  /** A file that the program finds open under number 3. */
  readonly thirdFile?: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Reads what is printed and keeps nothing of it. */
  readonly throwsAway?: boolean;
}

/** Waits for the exit and the end of both streams, and answers with what was printed. */
export function spawnHere(file: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const third = options.thirdFile === undefined ? [] : [openSync(options.thirdFile, "r")];
  const child = spawn(file, args, {
    stdio: ["ignore", "pipe", "pipe", ...third],
    env: options.environment ?? {},
    shell: options.shell ?? false,
    cwd: options.cwd,
  });
  for (const fd of third) closeSync(fd);
  return new Promise((resolve, reject) => {
    const printed: Record<"stdout" | "stderr", string> = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      if (options.throwsAway === true) child[stream]?.resume();
      else child[stream]?.setEncoding("utf8").on("data", (text: string) => (printed[stream] += text));
    }
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(printed.stdout);
      else reject(new Error(`${file} ended with ${code}: ${printed.stderr}`));
    });
  });
}
