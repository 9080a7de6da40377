// Decides whether a person is at this terminal and the command may ask there. It never asks on a pipe or on the screen of
// another program.
// Invariant: if this cannot be determined, the answer is no.

import { fstatSync, readFileSync, readlinkSync } from "node:fs";
import { userInfo } from "node:os";
import { runHelperOnTerminal } from "../../process/start.ts";
import { isTrustedProgram } from "../../process/trusted-program.ts";
import type { Streams } from "./terminal.ts";

const sttyPaths = ["/usr/bin/stty", "/bin/stty", "/run/current-system/sw/bin/stty"];

/** Why the command cannot ask on this terminal; null if it can. `output` is the descriptor to draw on. */
export function terminalProblem(streams: Streams, output: 1 | 2): string | null {
  if (streams.stdin.isTTY !== true || (output === 1 ? streams.stdout : streams.stderr).isTTY !== true)
    return "it needs a terminal: standard input or output is not one";
  // SECURITY(T28): input from one terminal must not answer a question that is drawn on another.
  if (fstatSync(0).rdev !== fstatSync(output).rdev) return "standard input and output are not the same terminal";
  const { group, terminal, foreground } = ownTerminal();
  if (terminal !== fstatSync(0).rdev) return "this is not the terminal that the command was started on";
  if (group !== foreground) return "the command runs in the background";
  // A program that turned line mode off, such as an agent or an editor, draws on this screen and reads its keys.
  const stty = sttyPaths.find(isTrustedProgram);
  if (stty === undefined) return "stty is not installed, so nobody can tell whose screen this is";
  const { exitCode, stdout } = runHelperOnTerminal(stty, ["-a"]);
  const isInLineMode = exitCode === 0 && /(?:^|\s)icanon\b/m.test(stdout) && /(?:^|\s)echo\b/m.test(stdout);
  return isInLineMode ? null : "another program reads single keys from this terminal: it is its screen";
}

/** Fields 5, 7 and 8 of /proc/self/stat. The name before them may contain blanks and brackets. */
function ownTerminal(): { readonly group: number; readonly terminal: number; readonly foreground: number } {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  return { group: fields[2] ?? -1, terminal: fields[4] ?? -1, foreground: fields[5] ?? -2 };
}

/** The name of the person at this terminal: `ana at pts/3`. */
export function personHere(): string {
  return `${userName()} at ${terminalName()}`;
}

export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`; // the user has no entry in the password file
  }
}

function terminalName(): string {
  try {
    return readlinkSync("/proc/self/fd/0").replace(/^\/dev\//, "");
  } catch {
    return "a terminal";
  }
}
