// The command line: from arguments to an exit code. Each command is in its own file, which is loaded when it is called.
// Invariant: every fault ends in a message and an exit code other than 0.

import { CommanderError } from "commander";
import { type Environment, readEnvironment } from "../config/environment.ts";
import { displayText } from "../shared/display.ts";
import { exitCode } from "./exit-code.ts";
import { runProgram } from "./program.ts";
import { ClosedOutput, openTerminal, type Screen, type Streams, type Terminal } from "./terminal/terminal.ts";
import { UsageError } from "./usage-error.ts";

/** `environment` and `streams` default to those of the process. */
export async function main(
  argv: readonly string[],
  environment: Environment = readEnvironment(),
  streams?: Streams,
): Promise<number> {
  const terminal = openTerminal(environment, streams);
  try {
    return await runProgram(argv, terminal);
  } catch (error) {
    try {
      return await printError(error, terminal);
    } catch {
      return exitCode.fault; // stderr is closed, too
    }
  }
}

async function printError(error: unknown, { err: screen, environment }: Terminal): Promise<number> {
  if (error instanceof ClosedOutput) return exitCode.brokenPipe;
  if (error instanceof CommanderError) return await printUsage(error, screen, environment);
  if (error instanceof UsageError) return await printMessage(screen, error.message, error.hint, exitCode.usage);
  // Compared by name, because the gate's code, which has the classes, may not have been loaded.
  const { name, message, hint } = error as { name?: string; message?: string; hint?: string };
  const text = displayText(message ?? String(error), { multiline: true });
  if (name === "GateError" || name === "JournalFault") {
    return await printMessage(screen, text, hint === undefined ? undefined : displayText(hint), exitCode.usage);
  }
  return await printMessage(
    screen,
    `this is a bug in sallyport, and the answer is no: ${text}`,
    undefined,
    exitCode.fault,
  );
}

async function printUsage(error: CommanderError, screen: Screen, environment: Environment): Promise<number> {
  if (error.exitCode === 0) return exitCode.ok; // --help, --version
  if (error.code === "commander.help") return exitCode.usage; // the help was shown because no command was given
  const [first = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const hint = suggestion?.replace(/^\((.*)\)$/, "$1") ?? (await whereHelpIs(environment));
  return await printMessage(screen, displayText(first), displayText(hint), exitCode.usage);
}

async function whereHelpIs(environment: Environment): Promise<string> {
  const { ownCommand } = await import("../config/own-command.ts");
  return `\`${ownCommand(environment, {})("--help")}\` shows what there is.`;
}

async function printMessage(screen: Screen, message: string, hint: string | undefined, code: number): Promise<number> {
  await screen.line(`${screen.paint("sallyport:", "red")} ${message}`);
  if (hint !== undefined && hint !== "") await screen.line(`hint: ${hint}`);
  return code;
}
