// What a command line says about danger, one row per program and kind. A row carries examples of both sides, which a
// test reads as scripts. What no row knows is for the box.

import type { Effect } from "../action/effect.ts";
import { type CommandWord, textsOf } from "./command-word.ts";
import type { PathContext } from "./vital-path.ts";

export interface RiskyCommand {
  /** Without its directory. */
  readonly name: string;
  readonly words: readonly CommandWord[];
  readonly args: readonly CommandWord[];
  readonly places: PathContext;
  /** Something is piped or redirected into it. */
  readonly hasInput: boolean;
}

export type RiskKind = "privilege" | "interactive" | "destroy" | "network" | "push";

export interface RiskRow {
  readonly kind: RiskKind;
  readonly names: readonly string[];
  readonly find: (command: RiskyCommand) => readonly Effect[];
  readonly examples: RiskExamples;
}

/** As a script would say them. `hosts`: what a network row finds in each of `is`. */
export interface RiskExamples {
  readonly is: readonly string[];
  readonly isNot: readonly string[];
  readonly hosts?: readonly string[];
}

type Test = (command: RiskyCommand) => boolean;

export function privilege(names: string, examples: RiskExamples, test: Test = () => true): RiskRow {
  return row("privilege", names, examples, (command) =>
    test(command) ? [{ kind: "privilege", argv: textsOf(command.words) }] : [],
  );
}

export function interactive(names: string, examples: RiskExamples, test: Test = () => true): RiskRow {
  return row("interactive", names, examples, (command) =>
    test(command) ? [{ kind: "interactive", argv: textsOf(command.words) }] : [],
  );
}

export function destroy(names: string, what: "files" | "git", examples: RiskExamples, test: Test): RiskRow {
  return row("destroy", names, examples, (command) =>
    test(command) ? [{ kind: "destroy", what, argv: textsOf(command.words) }] : [],
  );
}

export function network(
  names: string,
  examples: RiskExamples,
  hosts: (command: RiskyCommand) => readonly string[],
): RiskRow {
  return row("network", names, examples, (command) => hosts(command).map((host) => ({ kind: "network", host })));
}

export function row(kind: RiskKind, names: string, examples: RiskExamples, find: RiskRow["find"]): RiskRow {
  return { kind, names: names.split(" "), find, examples };
}

/** Whether one of these words stands there as it is. */
export function hasWord(args: readonly CommandWord[], ...wanted: string[]): boolean {
  return args.some(({ text }) => text !== null && wanted.includes(text));
}
