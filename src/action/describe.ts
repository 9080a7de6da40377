// The one text of an action, for terminal, page and protocol alike.
// Invariant: complete, and inert: every piece that came from outside went through the display functions.

import { displayCommand, displayText } from "../shared/display.ts";
import type { Action, Step, View } from "./action.ts";

export function describeAction(action: Action): string {
  const { memoryMb, fsizeMb, nofile, nproc, cpuS } = action.limits;
  const lines: (readonly [label: string, text: string])[] = [
    ...action.steps.flatMap(describeStep),
    ...describeView(action.view),
    [
      "limits",
      `${memoryMb} MB, ${nproc} processes, ${nofile} open files, ${fsizeMb} MB a file${cpuS === null ? "" : `, ${cpuS} s of processor time`}`,
    ],
  ];
  const head = `${displayText(action.tool)} for ${displayText(action.agent)}`;
  return [head, ...lines.map(([label, text]) => `  ${label.padEnd(10)} ${text}`)].join("\n");
}

function describeStep(step: Step): [string, string][] {
  return [
    ["run", displayCommand(step.argv)],
    ...(step.program === step.argv[0] ? [] : [["program", displayText(step.program)] as [string, string]]),
    ["in", displayText(step.cwd)],
    ...(step.stdin === null ? [] : [["stdin", displayText(step.stdin)] as [string, string]]),
    ["with", displayCommand(step.environment.map(([name, value]) => `${name}=${value}`))],
    ...step.files.map(({ path, content }): [string, string] => [
      "instead of",
      `${displayText(path)}: ${displayText(content)}`,
    ]),
    ["at most", `${step.timeoutMs / 1000} s, ${step.stdoutBytes} bytes of output, ${step.stderrBytes} of errors`],
  ];
}

function describeView({ paths, workspace, network }: View): [string, string][] {
  return [
    ...paths.map(({ path, mode, hide }): [string, string] => [
      mode === "rw" ? "may change" : "may see",
      `${displayText(path)}${hide.length === 0 ? "" : ` without ${displayText(hide.join(", "))}`}`,
    ]),
    ["workspace", workspace.kind === "scratch" ? "empty, gone after the call" : displayText(workspace.path)],
    ["network", network === "none" ? "none" : "the whole network of this machine"],
  ];
}
