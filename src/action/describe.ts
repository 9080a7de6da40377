// The one text of an action, for terminal, page and protocol alike.
// Invariant: complete, and inert: every piece that came from outside went through the display functions.

import { displayCommand, displayText } from "../shared/display.ts";
import type { Action } from "./action.ts";

export function describeAction(action: Action): string {
  const { view, limits } = action;
  const lines = [`${displayText(action.tool)} for ${displayText(action.agent)}`];
  for (const step of action.steps) {
    lines.push(`  run      ${displayCommand(step.argv)}`);
    if (step.program !== step.argv[0]) lines.push(`  program  ${displayText(step.program)}`);
    lines.push(`  in       ${displayText(step.cwd)}`);
    if (step.stdin !== null) lines.push(`  stdin    ${displayText(step.stdin, { maxLength: 200 })}`);
    lines.push(`  at most  ${step.timeoutMs / 1000} s, ${limits.memoryMb} MB, ${limits.nproc} processes`);
  }
  for (const { path, mode, hide } of view.paths) {
    const hidden = hide.length === 0 ? "" : ` without ${displayText(hide.join(", "))}`;
    lines.push(`  ${mode === "rw" ? "may change" : "may see   "} ${displayText(path)}${hidden}`);
  }
  lines.push(`  network  ${view.network === "none" ? "none" : "the whole network of this machine"}`);
  return lines.join("\n");
}
