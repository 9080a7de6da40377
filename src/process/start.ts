// The one door to other processes.
// Invariant: what runs for an agent is started here from a Launch, in a box; the other functions start
// programs of our own choosing, with arguments of our own, for ourselves.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
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
