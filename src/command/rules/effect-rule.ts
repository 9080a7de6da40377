// A rule says which effect a command has: that it asks for more rights, waits for a person, destroys, reaches the
// network or pushes. A command that no rule knows is bounded by the box alone.

import type { Effect } from "../../action/effect.ts";
import type { CommandLine } from "../words/command-line.ts";
import { textsOf } from "../words/command-word.ts";

export interface EffectRule {
  readonly kind: "privilege" | "interactive" | "destroy" | "network" | "push";
  readonly find: (command: CommandLine) => readonly Effect[];
}

type Test = (command: CommandLine) => boolean;

export function privilege(test: Test): EffectRule {
  return effectRule("privilege", test, ({ words }) => ({ kind: "privilege", argv: textsOf(words) }));
}

export function interactive(test: Test): EffectRule {
  return effectRule("interactive", test, ({ words }) => ({ kind: "interactive", argv: textsOf(words) }));
}

export function destroy(what: "files" | "git", test: Test): EffectRule {
  return effectRule("destroy", test, ({ words }) => ({ kind: "destroy", what, argv: textsOf(words) }));
}

function effectRule(kind: EffectRule["kind"], test: Test, effect: (command: CommandLine) => Effect): EffectRule {
  return { kind, find: (command) => (test(command) ? [effect(command)] : []) };
}

export function network(hosts: (command: CommandLine) => readonly string[]): EffectRule {
  return { kind: "network", find: (command) => hosts(command).map((host) => ({ kind: "network", host })) };
}

export function push(find: EffectRule["find"]): EffectRule {
  return { kind: "push", find };
}
