// The one door to other processes.
// Invariant: what runs for an agent is started here from a Launch, in a box; the other functions start
// programs of our own choosing, with arguments of our own, for ourselves.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { pipeline } from "node:stream/promises";
import { Grant } from "../approval/grant.ts";
import { Launch } from "./launch.ts";

export interface BoxCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The program's 0, 1, 2 and what the box itself needs from 3 on. */
  readonly descriptors: readonly number[];
  /** Where the command itself starts; a box then goes to the program's own directory. */
  readonly cwd: string;
}

/** Starts the box of a launch. Its own environment is empty: the program's goes in as data. */
export function startBox(launch: Launch, command: BoxCommand): ChildProcess {
  // SECURITY(T02): the type alone lets anything through that looks like one.
  if (!Launch.isLaunch(launch)) throw new TypeError("only a launch starts a box");
  launch.use();
  return spawn(command.file, command.args, {
    stdio: [...command.descriptors],
    env: Object.create(null) as NodeJS.ProcessEnv, // SECURITY(T14): nothing of the gate's own
    cwd: command.cwd,
    shell: false, // SECURITY(T06): never a shell
    // A group of its own: Ctrl-C on our terminal reaches us alone, and the program gets its SIGTERM and its second.
    detached: true,
  });
}

export interface PersonCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: AsyncIterable<Uint8Array> | null;
  readonly signal?: AbortSignal | undefined;
  /** Each piece of what it says on stderr, as it comes. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

export interface PersonResult {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs what a person said yes to, for the person and not for the agent: git, as it lands a commit or fetches. No box. */
export async function runForPerson(grant: Grant, command: PersonCommand): Promise<PersonResult> {
  // SECURITY(T02): only with a grant.
  if (!Grant.isGrant(grant)) throw new TypeError("nothing runs for a person without a grant");
  const child = spawn(command.file, command.args, {
    stdio: [command.stdin === null ? "ignore" : "pipe", "pipe", "pipe"],
    env: { ...command.environment },
    cwd: command.cwd,
    shell: false,
    signal: command.signal,
  });
  const stdout: Buffer[] = [];
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-64 * 1024);
    command.onStderr?.(text);
  });
  const ended = new Promise<number | null>((resolve) =>
    child.once("error", () => resolve(null)).once("close", resolve),
  );
  if (command.stdin !== null && child.stdin !== null) {
    // Who ends before it has read all says why itself.
    child.stdin.on("error", () => undefined);
    await pipeline(command.stdin, child.stdin).catch(() => undefined);
  }
  return { exitCode: await ended, stdout: Buffer.concat(stdout), stderr };
}

export interface HelperResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a small program of the system for the gate itself (mkfifo, bwrap --version); nothing of an agent's reaches it. */
export function runHelper(file: string, args: readonly string[]): HelperResult {
  return runSmall(file, args, "ignore");
}

/** The same, with our own standard input: for what asks the terminal about itself (stty). */
export function runHelperOnTerminal(file: string, args: readonly string[]): HelperResult {
  return runSmall(file, args, "inherit");
}

function runSmall(file: string, args: readonly string[], stdin: "ignore" | "inherit"): HelperResult {
  const ended = spawnSync(file, args, {
    env: {},
    cwd: "/",
    stdio: [stdin, "pipe", "pipe"],
    timeout: 10_000,
    encoding: "utf8",
  });
  return {
    exitCode: ended.error === undefined ? ended.status : null,
    stdout: ended.stdout ?? "",
    stderr: ended.stderr ?? "",
  };
}
