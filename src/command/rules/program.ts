// The description of one program, with a part for each question that is asked about it. A part that is absent has
// nothing to say: Shell does not start the program, or scripts that run it have no effect but to run it.

import type { OptionSpec } from "./option-spec.ts";
import type { EffectRule } from "./effect-rule.ts";
import type { ShellRule } from "./shell-rule.ts";
import type { StartRule } from "./start-rule.ts";

interface ProgramParts {
  /** Which forms Shell starts. */
  readonly shell?: ShellRule;
  /** Which effects a script has that runs it, in the order in which they are reported. */
  readonly effects?: readonly EffectRule[];
  /** Which commands it starts. */
  readonly starts?: StartRule;
  /** It copies or links files: a copy of a program is that program under another name. */
  readonly copies?: OptionSpec;
}

export interface Program extends ProgramParts {
  readonly names: readonly string[];
  /** Other names of the same program, which Shell does not start: `gawk`. */
  readonly aliases: readonly string[];
}

/** Names stand in one string. */
export function program(names: string, parts: ProgramParts & { readonly aliases?: string }): Program {
  const { aliases, ...rules } = parts;
  return { ...rules, names: names.split(" "), aliases: aliases?.split(" ") ?? [] };
}
