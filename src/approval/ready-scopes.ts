// Ready-made widths of an answer that is kept: exactly what was asked, or the program, the directory or the host that it is about.
// Invariant: the first is the offer's own. Each other one would be accepted if a person had written it (`checkEdited`); none covers a home, a directory of the root, or the whole of this machine.

import type { Effect } from "../action/effect.ts";
import type { Verdict } from "../policy/decision.ts";
import { exactRule, renderRule } from "../policy/render.ts";
import type { RuleText } from "../policy/rule.ts";
import { escapeGlob } from "../shared/glob.ts";
import { parentPath } from "../shared/path.ts";
import { askedFindings, checkEdited, type Offer } from "./offer.ts";

export const readyWidths = ["exact", "command", "program", "directory", "host"] as const;

export type ReadyWidth = (typeof readyWidths)[number];

export interface ReadyScope {
  readonly width: ReadyWidth;
  readonly rules: readonly RuleText[];
}

/** On a button or in a list. What exactly it opens stands beside it, made from the rules. */
export const readyNames: Readonly<Record<ReadyWidth, string>> = {
  exact: "Exactly this",
  command: "This command, with any further words",
  program: "This program, with any words",
  directory: "The directory around it",
  host: "This host, at any port",
};

/** `home`: the person's home directory, which is too wide. The first is what the offer has. */
export function readyScopes(offer: Offer, verdict: Verdict, home: string): readonly ReadyScope[] {
  const exact: ReadyScope = { width: "exact", rules: offer.rules };
  if (offer.rules.length === 0 || (offer.sets ?? []).length > 0) return [exact];
  const asked = askedFindings(verdict).map(({ effect }) => effect);
  const known = new Set([textOf(offer.rules)]);
  const wider = readyWidths.flatMap((width): ReadyScope[] => {
    if (width === "exact") return [];
    const rules = asked.map(
      (effect) => widened(width, offer.decision, effect, home) ?? exactRule(offer.decision, effect),
    );
    if (rules.includes(null)) return [];
    const distinct = [...new Map((rules as RuleText[]).map((rule) => [renderRule(rule), rule])).values()];
    const text = textOf(distinct);
    if (known.has(text) || !checkEdited(offer, distinct, verdict).ok) return [];
    known.add(text);
    return [{ width, rules: distinct }];
  });
  return [exact, ...wider];
}

function textOf(rules: readonly RuleText[]): string {
  return rules.map(renderRule).join("\n");
}

/** Null if this width says nothing about such an effect. */
function widened(width: ReadyWidth, decide: Offer["decision"], effect: Effect, home: string): RuleText | null {
  switch (width) {
    case "exact":
      return null;
    case "program":
    case "command":
      return effect.kind === "run" ? widerRun(width, decide, effect) : null;
    case "directory":
      return effect.kind === "read" || effect.kind === "write" ? around(decide, effect, home) : null;
    case "host":
      return effect.kind === "network" ? anyPort(decide, effect.host) : null;
  }
}

function widerRun(
  width: "program" | "command",
  decide: Offer["decision"],
  effect: Extract<Effect, { kind: "run" }>,
): RuleText | null {
  const exact = exactRule(decide, effect);
  if (exact === null) return null;
  const { argv: words = [], ...rest } = exact;
  if (width === "program") return words.length < 2 ? null : rest;
  const [name, command] = words;
  // As in `git log -3` or `npm run build`, and not as in `cat notes`: a word that names what the program does.
  const isCommand = words.length > 2 && /^[a-z][a-z-]*$/.test(command ?? "");
  return isCommand ? { ...rest, argv: [name as string, command as string, "**"] } : null;
}

function around(
  decide: Offer["decision"],
  { kind, path }: Extract<Effect, { kind: "read" | "write" }>,
  home: string,
): RuleText | null {
  const parent = parentPath(path);
  const names = parent.split("/").filter((name) => name !== "");
  // Settings and keys lie in hidden directories, such as ~/.ssh, and the directories of the root are the machine's.
  if (names.length < 2 || path.split("/").some((name) => name.startsWith("."))) return null;
  if (parent === home || home.startsWith(`${parent}/`)) return null;
  return { decide, effect: kind, path: escapeGlob(parent) };
}

/** The ports of this machine, or of an address in its network, are servers that have nothing to do with each other. */
function anyPort(decide: Offer["decision"], host: string): RuleText | null {
  const [, name] = /^(.+):\d+$/.exec(host) ?? [];
  const isOneOwner = name !== undefined && !/^localhost$|^\[|^[\d.]+$/.test(name);
  return isOneOwner ? { decide, effect: "network", host: name } : null;
}
