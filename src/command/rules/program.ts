// The description of one program: its names, and rules for the questions that are asked about it. Without a rule there is
// nothing to say: Shell does not start the program, or a script that runs it has no effect but to run it.

import type { OptionSpec } from "./option-spec.ts";
import type { EffectRule } from "./effect-rule.ts";
import type { ShellRule } from "./shell-rule.ts";
import type { StartRule } from "./start-rule.ts";

interface ProgramSpec {
  /** Other names of the same program, which Shell does not start: `gawk`. They stand in one string. */
  readonly aliases?: string;
  readonly shell?: ShellRule;
  readonly effects?: EffectRule | readonly EffectRule[];
  readonly starts?: StartRule;
  readonly copies?: OptionSpec;
}

export interface Program {
  readonly names: readonly string[];
  readonly aliases: readonly string[];
  /** Which forms Shell starts. */
  readonly shell: ShellRule | null;
  /** Which effects a script has that runs it, in the order in which they are reported. */
  readonly effects: readonly EffectRule[];
  /** Which commands it starts. */
  readonly starts: StartRule | null;
  /** It copies or links files, with these options. A copy of a program is that program under another name. */
  readonly copies: OptionSpec | null;
}

/** Names stand in one string. */
export function program(names: string, { aliases, shell, effects, starts, copies }: ProgramSpec): Program {
  return {
    names: names.split(" "),
    aliases: aliases?.split(" ") ?? [],
    shell: shell ?? null,
    effects: [effects ?? []].flat(),
    starts: starts ?? null,
    copies: copies ?? null,
  };
}
