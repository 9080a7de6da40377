// `sallyport exec -- ARGV…`: makes one Exec call, or with `--script` one Bash call. The program prints as it would without the gate, and the
// command exits with its exit code.
// Invariant: output of the program cannot control the terminal, unless the person asked for --raw.

import { existsSync, fstatSync } from "node:fs";
import { resolve } from "node:path";
import { ownCommand } from "../../config/own-command.ts";
import type { Gate } from "../../runtime/session-gate.ts";
import { programDirectories } from "../../process/find-on-path.ts";
import { displayText } from "../../shared/display.ts";
import { limits } from "../../shared/limits.ts";
import { approversFor } from "../approvers.ts";
import { exitCode } from "../exit-code.ts";
import { findStartedProgram } from "../find-program.ts";
import { type GateFlags, openGateFromFlags } from "../open-gate.ts";
import { readInput } from "../terminal/read-input.ts";
import { runLive } from "./run-live.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

export interface ExecFlags extends GateFlags {
  readonly script?: boolean;
  readonly cwd?: string;
  readonly env?: readonly string[];
  readonly timeout?: string;
  readonly stdin?: boolean;
  readonly raw?: boolean;
}

export async function execCommand(argv: readonly string[], flags: ExecFlags, terminal: Terminal): Promise<number> {
  const { err } = terminal;
  const options = callOptions(flags);
  const [name = "", ...words] = argv;
  if (flags.script === true && words.length > 0)
    throw new UsageError("--script: there is more than one text after it", "Quote the script, so that it is one.");
  const program = flags.script === true ? null : findStartedProgram(name, options.cwd ?? resolve(flags.project ?? "."));
  if (program === undefined) {
    await err.line(`sallyport: there is no program ${displayText(name)} in ${programDirectories().join(", ")}`);
    const doctor = ownCommand(terminal.environment, flags)("doctor");
    await err.line(`hint: Name it by its path. \`${doctor}\` shows where yours are, and how to grant them.`);
    return exitCode.execNotFound;
  }
  const stdin =
    flags.stdin === true
      ? { stdin: await readInput(terminal.streams.stdin, limits.stdinMaxBytes, "a program's input") }
      : {};
  const gate = openGateFromFlags(flags, terminal.environment, await approversFor(flags, terminal));
  try {
    if (err.isTerminal)
      for (const note of notesFor(gate, flags)) await err.line(err.paint(`note: ${displayText(note)}`, "dim"));
    const request =
      program === null
        ? { tool: "Bash", args: { script: name, ...options, ...stdin } }
        : { tool: "Exec", args: { argv: [program, ...words], ...options, ...stdin } };
    const ended = await runLive(gate, request, flags.raw === true, terminal);
    const isMissing = ended === exitCode.execRefused && program !== null && !existsSync(program);
    return isMissing ? exitCode.execNotFound : ended;
  } finally {
    gate.close();
    await gate.closed;
  }
}

function callOptions({ cwd, env = [], timeout }: ExecFlags): {
  cwd?: string;
  env?: Record<string, string>;
  timeout_s?: number;
} {
  const timeoutS = Number(timeout);
  if (timeout !== undefined && (timeout.trim() === "" || Number.isNaN(timeoutS))) {
    throw new UsageError(`--timeout: ${displayText(timeout)} is not a number`, "Write seconds, like --timeout 10.");
  }
  const pairs = env.map((text): [string, string] => {
    const cut = text.indexOf("=");
    if (cut > 0) return [text.slice(0, cut), text.slice(cut + 1)];
    throw new UsageError(
      `--env: ${displayText(text)} has no value`,
      "Write NAME=VALUE. Nothing is taken from your own environment.",
    );
  });
  return {
    ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
    ...(pairs.length === 0 ? {} : { env: Object.fromEntries(pairs) }),
    ...(timeout === undefined ? {} : { timeout_s: timeoutS }),
  };
}

function notesFor(gate: Gate, flags: ExecFlags): string[] {
  const isLeftOut = flags.stdin !== true && hasInput();
  return [...gate.config.notes, ...(isLeftOut ? ["standard input is not passed on; --stdin does that"] : [])];
}

/** Whether standard input is a pipe or a file with content, which could be meant for the program. */
function hasInput(): boolean {
  try {
    const found = fstatSync(0);
    return found.isFIFO() || (found.isFile() && found.size > 0);
  } catch {
    return false; // standard input is closed
  }
}
