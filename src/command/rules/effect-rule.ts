// A rule says which effect a command has: that it asks for more rights, waits for a person, destroys, reaches the
// network or pushes. A rule carries examples of both sides, which a test reads as scripts. A command that no rule knows
// is bounded by the box alone.

import type { Effect } from "../../action/effect.ts";
import type { CommandLine } from "../words/command-line.ts";
import { textsOf } from "../words/command-word.ts";

export interface EffectRule {
  readonly kind: "privilege" | "interactive" | "destroy" | "network" | "push";
  readonly find: (command: CommandLine) => readonly Effect[];
  readonly examples: EffectExamples;
}

/** Scripts that have the effect, and scripts that have not. `hosts`: the host that a network rule finds in each of `is`. */
export interface EffectExamples {
  readonly is: readonly string[];
  readonly isNot: readonly string[];
  readonly hosts?: readonly string[];
}

type Test = (command: CommandLine) => boolean;

export function privilege(examples: EffectExamples, test: Test): EffectRule {
  return effectRule("privilege", examples, test, ({ words }) => ({ kind: "privilege", argv: textsOf(words) }));
}

export function interactive(examples: EffectExamples, test: Test): EffectRule {
  return effectRule("interactive", examples, test, ({ words }) => ({ kind: "interactive", argv: textsOf(words) }));
}

export function destroy(what: "files" | "git", examples: EffectExamples, test: Test): EffectRule {
  return effectRule("destroy", examples, test, ({ words }) => ({ kind: "destroy", what, argv: textsOf(words) }));
}

function effectRule(
  kind: EffectRule["kind"],
  examples: EffectExamples,
  test: Test,
  effect: (command: CommandLine) => Effect,
): EffectRule {
  return { kind, examples, find: (command) => (test(command) ? [effect(command)] : []) };
}

export function network(examples: EffectExamples, hosts: (command: CommandLine) => readonly string[]): EffectRule {
  return { kind: "network", examples, find: (command) => hosts(command).map((host) => ({ kind: "network", host })) };
}

export function push(examples: EffectExamples, find: EffectRule["find"]): EffectRule {
  return { kind: "push", examples, find };
}
