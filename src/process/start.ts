// The only module that starts other processes.
// Invariant: what runs for an agent is started here from a Launch, in a box. The other functions start programs
// that the gate chooses, with arguments that the gate builds, for the gate itself or for the person; and one that the
// person's configuration names, with its arguments.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { Grant } from "../approval/grant.ts";
import { type BoxCommand, type BoxCommandLine, type BoxProcess, endOfProcess } from "./box-process.ts";
import { limits } from "../shared/limits.ts";
import { Forker } from "./forker.ts";
import type { ProcessGuardian } from "./process-guardian.ts";
import { receiveSockets } from "./receive-sockets.ts";
import { Launch } from "./launch.ts";
import { type Cut, type TimeAllowed, startWatch } from "./time-allowed.ts";

/** Starts the box of a launch. The box's own environment is empty; it gets the program's environment as data. */
export function startBox(launch: Launch, command: BoxCommand, forker: Forker): BoxProcess {
  // SECURITY(T02): the type alone accepts any value of the same shape.
  if (!Launch.isLaunch(launch)) throw new TypeError("only a launch starts a box");
  launch.use();
  return forker.start(command, () => startDirectly(command));
}

/** Starts a program of the gate itself in the same way, without a box. */
export function startHelper(command: BoxCommand, forker: Forker): BoxProcess {
  return forker.start(command, () => startDirectly(command));
}

/** `file` is the path of native/forker. `hasChannel`: what it starts can send sockets to the gate. */
export function openForker(file: string, hasChannel = false): Forker {
  return new Forker(() =>
    spawn(file, [], {
      stdio: ["pipe", "pipe", "ignore", ...(hasChannel ? ["ipc" as const] : [])],
      env: Object.create(null) as NodeJS.ProcessEnv,
      cwd: "/",
      detached: true,
    }),
  );
}

function startDirectly(command: BoxCommand): BoxProcess {
  const child = spawn(command.file, command.args, {
    stdio: command.descriptors.map(({ fd, access }) => (access === "channel" ? "ipc" : fd)),
    env: Object.create(null) as NodeJS.ProcessEnv, // SECURITY(T14): nothing of the gate's environment
    cwd: command.cwd,
    shell: false, // SECURITY(T06): never a shell
    // In a process group of its own: Ctrl-C at the terminal reaches only the gate, which sends SIGTERM and waits a second.
    detached: true,
  });
  const { receiver } = command;
  if (receiver !== undefined) receiveSockets(child, () => receiver);
  return {
    get pid() {
      return child.pid ?? null;
    },
    started: Promise.resolve(),
    ended: new Promise((resolve) => child.once("error", resolve).once("exit", (code) => resolve(endOfProcess(code)))),
    get isOver() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

/**
 * Runs native/keeper, which locks these open directories in this order, each together with others or alone. The locks last until the gate
 * closes the directories, or ends. False if they are not locked: somebody else kept one for too long.
 */
export function lockDirectories(
  keeper: string,
  directories: readonly { readonly descriptor: number; readonly isAlone: boolean }[],
  waitMs: number,
): Promise<boolean> {
  const letters = directories.map(({ isAlone }) => (isAlone ? "e" : "s")).join("");
  const child = spawn(keeper, ["lock", letters], {
    stdio: ["ignore", "ignore", "ignore", ...directories.map(({ descriptor }) => descriptor)],
    env: {},
    cwd: "/",
    timeout: waitMs,
    killSignal: "SIGKILL",
  });
  return new Promise((resolve) =>
    child.once("error", () => resolve(false)).once("exit", (code) => resolve(code === 0)),
  );
}

/** Runs native/keeper, which connects to a port in this network of a box: see `BoxReach`. */
export function startReach(keeper: string, network: number, port: number): ChildProcess {
  return spawn(keeper, ["reach", "4", String(port), "3", "box"], {
    stdio: ["pipe", "ignore", "inherit", "ipc", network],
    env: {},
    cwd: "/",
    detached: true, // it ends with its input, and not by a signal for the terminal
  });
}

export interface PersonCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: AsyncIterable<Uint8Array> | null;
  readonly signal?: AbortSignal | undefined;
  /** The time limits of a program that waits for other machines. If absent, the limits of a local program apply. */
  readonly timeAllowed?: TimeAllowed | undefined;
  /** Ends the program with the gate. */
  readonly guardian?: ProcessGuardian | null | undefined;
  /** Called with each chunk of stderr as it arrives. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

export interface PersonResult {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Why the gate ended it; null if it ended by itself. */
  readonly cut: Cut | null;
}

const ownTimeAllowed: TimeAllowed = { silentMs: limits.personProgramS * 1_000, totalMs: limits.personProgramS * 1_000 };

/** Runs a command that a person approved, for the person and not for the agent, without a box: git that contacts another machine. */
export async function runForPerson(grant: Grant, command: PersonCommand): Promise<PersonResult> {
  // SECURITY(T02): this needs a grant.
  if (!Grant.isGrant(grant)) throw new TypeError("nothing runs for a person without a grant");
  if (command.signal?.aborted === true)
    return { exitCode: null, stdout: Buffer.alloc(0), stderr: "", cut: "cancelled" };
  const kept = command.guardian?.keep([command.file, ...command.args], command.environment) ?? null;
  const child = spawn(kept?.file ?? command.file, kept?.args ?? command.args, {
    stdio: [command.stdin === null ? "ignore" : "pipe", "pipe", "pipe", ...(kept?.descriptors ?? [])],
    env: kept === null ? { ...command.environment } : {},
    cwd: command.cwd,
    shell: false,
    // In a process group of its own, so that programs which git starts (ssh, helpers) end with it.
    detached: true,
  });
  kept?.started();
  const killGroup = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // It is gone.
    }
  };
  const watch = startWatch(command.timeAllowed ?? ownTimeAllowed, command.signal, {
    terminate: () => killGroup("SIGTERM"),
    kill() {
      if (kept === null) killGroup("SIGKILL");
      else kept.end();
      // A process that left the group may still hold the pipes.
      for (const stream of child.stdio) stream?.destroy();
    },
  });
  const stdout: Buffer[] = [];
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    watch.alive();
    stdout.push(chunk);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    watch.alive();
    stderr = (stderr + text).slice(-64 * 1024);
    command.onStderr?.(text);
  });
  const ended = new Promise<number | null>((resolve) =>
    child.once("error", () => resolve(null)).once("close", resolve),
  );
  try {
    if (command.stdin !== null && child.stdin !== null) {
      // A program that ends before it has read all its input says why itself.
      child.stdin.on("error", () => undefined).on("drain", () => watch.alive());
      await pipeline(command.stdin, child.stdin).catch(() => undefined);
    }
    const endedWith = await ended;
    const exitCode = kept === null ? endedWith : kept.exitCode();
    return { exitCode, stdout: Buffer.concat(stdout), stderr, cut: watch.cut };
  } finally {
    watch.clear();
    kept?.close();
  }
}

export interface NotifierCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly input: string;
  readonly signal: AbortSignal;
}

/** Runs a program that the person's configuration names, without a box. What it prints is not read. */
export async function runNotifier(
  command: NotifierCommand,
): Promise<{ readonly exitCode: number | null; readonly isCut: boolean }> {
  const signal = AbortSignal.any([command.signal, AbortSignal.timeout(limits.noticeMs)]);
  if (signal.aborted) return { exitCode: null, isCut: true };
  const child = spawn(command.file, command.args, {
    stdio: ["pipe", "ignore", "ignore"],
    env: { ...command.environment },
    cwd: "/",
    shell: false, // SECURITY(T69): never a shell
    detached: true,
  });
  let isCut = false;
  const cut = () => {
    isCut = true;
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It is gone.
    }
  };
  signal.addEventListener("abort", cut, { once: true });
  // Programs that do not read their input are the usual ones.
  child.stdin.on("error", () => undefined).end(command.input);
  const exitCode = await new Promise<number | null>((resolve) =>
    child.once("error", () => resolve(null)).once("exit", resolve),
  );
  signal.removeEventListener("abort", cut);
  return { exitCode, isCut };
}

/**
 * Starts a program that outlives the gate, and waits until it prints a line or ends. Resolves to null if it printed one, and otherwise
 * to its exit code and what it wrote to standard error.
 */
export async function startHolder(command: BoxCommandLine): Promise<HelperResult | null> {
  const child = spawn(command.file, command.args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: Object.create(null) as NodeJS.ProcessEnv,
    cwd: command.cwd,
    shell: false,
    detached: true,
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return await new Promise((resolve) => {
    const ended = (exitCode: number | null) => resolve({ exitCode, stdout: "", stderr });
    child.once("error", () => ended(null)).once("close", ended);
    child.stdout.once("data", () => {
      child.removeAllListeners("close");
      child.stdout.destroy();
      child.stderr.destroy();
      child.unref();
      resolve(null);
    });
  });
}

/** Runs a program of the gate itself with this standard input, without blocking the gate. */
export async function runWithInput(command: BoxCommandLine, input: Iterable<string>): Promise<HelperResult> {
  const child = spawn(command.file, command.args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: Object.create(null) as NodeJS.ProcessEnv,
    cwd: command.cwd,
    shell: false,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<HelperResult>((resolve) => {
    child.once("error", () => resolve({ exitCode: null, stdout, stderr }));
    child.once("close", (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
  // If it ends early, its exit code says more than the broken pipe.
  await pipeline(input, child.stdin).catch(() => undefined);
  return await ended;
}

export interface HelperResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a small program of the system for the gate itself (mkfifo, bwrap --version). No data of an agent reaches it. */
export function runHelper(file: string, args: readonly string[], waitMs?: number): HelperResult {
  return runSmall(file, args, "ignore", waitMs);
}

/** The same, with the gate's own standard input, for programs that query the terminal (stty). */
export function runHelperOnTerminal(file: string, args: readonly string[]): HelperResult {
  return runSmall(file, args, "inherit");
}

export interface ScriptOnTerminal extends EventEmitter {
  readonly stdin: Socket;
  readonly stdout: Socket;
}

/** Starts a small script of the gate for a terminal, which it has as descriptor 3. It does not keep the gate alive. */
export function startOnTerminal(script: string, words: readonly string[], terminal: number): ScriptOnTerminal {
  const child = spawn("/bin/sh", ["-c", script, "sh", ...words], {
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/",
    stdio: ["pipe", "pipe", "ignore", terminal],
    shell: false,
  }) as ChildProcess & ScriptOnTerminal;
  child.unref();
  child.stdin.unref();
  child.stdout.unref();
  return child;
}

function runSmall(
  file: string,
  args: readonly string[],
  stdin: "ignore" | "inherit",
  waitMs: number = limits.helperMs,
): HelperResult {
  const ended = spawnSync(file, args, {
    env: {},
    cwd: "/",
    stdio: [stdin, "pipe", "pipe"],
    timeout: waitMs,
    encoding: "utf8",
  });
  return {
    exitCode: ended.error === undefined ? ended.status : null,
    stdout: ended.stdout ?? "",
    stderr: ended.stderr ?? "",
  };
}
