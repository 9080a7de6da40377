// Reads a bash script into effects: of every command at any depth, and of every redirection. What cannot be known before
// the run is reported as unknown, never left out. The box enforces; this only lets the gate ask beforehand.
// Invariant: readScript does not throw, and its time grows with the script and no faster.

import { utf8Length } from "../../shared/bytes.ts";
import type { Effect, Word } from "../../action/effect.ts";
import { limits } from "../../shared/limits.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { CommandContext } from "../words/command-line.ts";
import { commandWord } from "../words/command-word.ts";
import { type CommandScope, readCommand } from "./command-reader.ts";
import { Findings } from "./findings.ts";
import { ScriptWalk } from "./script-walk.ts";
import { inputOfCall, newShell } from "./shell-state.ts";

export interface ScriptReading {
  readonly effects: readonly Effect[];
  /** Every command, also builtins and calls of functions; `[null]`: one that only the run will know. */
  readonly commands: readonly (readonly Word[])[];
  /** False when some command or redirection is unknown. */
  readonly isWholeKnown: boolean;
  /** Why the script cannot be read to its end, in the parser's words. The effects are those of the part before. */
  readonly unreadable: string | null;
}

/** Fails only for a script that cannot be given to bash: too long, with a NUL, or with half of a character. */
export function readScript(script: string, context: CommandContext): Result<ScriptReading> {
  if (script.length > limits.commandBytes || utf8Length(script) > limits.commandBytes)
    return fail("invalid_args", `script: longer than ${limits.commandBytes} bytes.`, {
      hint: "Write it into a file of the workspace, and run that with bash.",
    });
  // bash leaves NULs out, and so joins the characters around them.
  if (!script.isWellFormed() || script.includes("\0"))
    return fail("invalid_args", "script: holds a NUL, or half of a character.", { hint: "Leave it out." });
  const findings = gather(context, (walk) =>
    walk.readAsNew(script, newShell([context.cwd], inputOfCall(context), 0, "certain")),
  );
  return ok({
    effects: findings.effects,
    commands: findings.commands,
    isWholeKnown: findings.isWholeKnown,
    unreadable: findings.unreadable,
  });
}

/**
 * The effects of one command line that no shell reads: it has no builtins and no functions. Each effect comes once, and the
 * first is the `run` of the command itself.
 */
export function commandEffects(argv: readonly Word[], context: CommandContext): Effect[] {
  const scope: CommandScope = {
    cwds: [context.cwd],
    lookup: "programs",
    input: inputOfCall(context),
    certainty: "certain",
    depth: 0,
  };
  return gather(context, (walk) => readCommand(argv.map(commandWord), scope, walk.collector)).effects;
}

function gather(context: CommandContext, read: (walk: ScriptWalk) => void): Findings {
  const findings = new Findings();
  try {
    read(new ScriptWalk(findings, { ...context, findProgram: remembering(context.findProgram) }));
  } catch {
    // The script is nested deeper than the stack. What was found before stays.
    findings.addUnreadable("it is nested too deeply");
  }
  return findings;
}

/** A script names a program many times: it is searched for once. */
function remembering(find: CommandContext["findProgram"]): CommandContext["findProgram"] {
  const found = new Map<string, string | null>();
  return (name) => {
    const known = found.get(name);
    if (known !== undefined) return known;
    const path = find(name);
    found.set(name, path);
    return path;
  };
}
