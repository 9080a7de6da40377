// A plain start, as any program would do it, without us: what controls compare with.

import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";

export interface Spawned {
  readonly child: ChildProcess;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  kill(): void;
}

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function bare(argv: readonly string[], options: SpawnOptions = {}): Spawned {
  const child = spawn(argv[0] as string, argv.slice(1), { stdio: ["ignore", "pipe", "pipe"], ...options });
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => (said.stdout += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => (said.stderr += chunk.toString("utf8")));
  child.on("error", () => undefined); // told by an absent pid
  return {
    child,
    pid: child.pid ?? 0,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    kill: () => void child.kill("SIGKILL"),
  };
}

/** Until the program is gone and both its streams are closed. */
export async function ended(started: Spawned): Promise<Ended> {
  if (started.pid === 0) throw new Error("the program could not be started");
  const exitCode = await new Promise<number | null>((resolve) => started.child.once("close", resolve));
  return { exitCode, stdout: started.stdout(), stderr: started.stderr() };
}
