// Finds rules that can never decide anything, so that `policy check` can warn about them. It changes no decision.

import { globBelow } from "../shared/glob.ts";
import { ancestorsOf, baseName, isWithin } from "../shared/path.ts";
import { type Capability, isHidden } from "./capability.ts";
import { type Decision, strictest } from "./decision.ts";
import { literalPath } from "./policy.ts";
import { renderRule } from "./render.ts";
import { matchersOf, type Rule } from "./rule.ts";

export interface IdleRule {
  readonly rule: Rule;
  readonly reason: string;
}

export interface IdleContext {
  readonly rules: readonly Rule[];
  readonly agents: ReadonlyMap<string, Capability>;
  readonly sealed: readonly string[];
}

export function idleRules({ rules, agents, sealed }: IdleContext): IdleRule[] {
  const first = new Map<string, Rule>();
  const kinds = Map.groupBy(rules, ({ text }) => text.effect);
  return rules.flatMap((rule): IdleRule[] => {
    const said = sameText(rule);
    const twin = first.get(said);
    if (twin === undefined) first.set(said, rule);
    const over = (kinds.get(rule.text.effect) ?? []).find((other) => isStricter(other, rule) && covers(other, rule));
    const reason =
      (twin === undefined ? null : `says the same as ${nameOf(twin)}`) ??
      (over === undefined ? null : `${nameOf(over)} decides ${over.text.decide} about all of it`) ??
      closedReason(rule, agents, sealed) ??
      unnameable(rule);
    return reason === null ? [] : [{ rule, reason }];
  });
}

function nameOf({ id, origin }: Rule): string {
  return `rule ${id} (${origin})`;
}

function sameText({ text }: Rule): string {
  return renderRule({ ...text, because: undefined });
}

function isStricter(other: Rule, rule: Rule): boolean {
  return (
    other.text.decide !== rule.text.decide && strictest([other.text.decide, rule.text.decide]) === other.text.decide
  );
}

/** True if the other rule has every matcher of the stricter one. A path may lie inside the stricter rule's path. */
function covers(wide: Rule, narrow: Rule): boolean {
  return matchersOf[wide.text.effect].every((name) => {
    const value = wide.text[name];
    if (value === undefined) return true;
    if (name !== "path") return JSON.stringify(value) === JSON.stringify(narrow.text[name]);
    const path = literalPath(narrow);
    if (path === null || wide.path === null) return value === narrow.text.path;
    return globBelow(wide.path, ancestorsOf(path).map(baseName)) === "matched";
  });
}

function closedReason(rule: Rule, agents: ReadonlyMap<string, Capability>, sealed: readonly string[]): string | null {
  const path = literalPath(rule);
  const mild: readonly Decision[] = ["allow", "ask"];
  if (path === null || !mild.includes(rule.text.decide)) return null;
  if (["/proc", "/sys", "/dev"].some((root) => isWithin(path, root))) return "the box has its own /proc, /sys and /dev";
  if (sealed.some((sealedPath) => isWithin(path, sealedPath))) return "the gate keeps its record and its rules there";
  const all = [...agents.values()];
  return all.length > 0 && all.every((capability) => isHidden(capability, path))
    ? "`hide` keeps that path from everybody"
    : null;
}

/** SECURITY(T24) is why: `./x` is another file in every directory. */
function unnameable({ text, argv, program }: Rule): string | null {
  const word = argv?.[0];
  const isRelative = word?.length === 1 && word[0]?.includes("/") === true && !word[0].startsWith("/");
  return text.decide === "allow" && program === null && isRelative
    ? "a program is allowed by its name or its whole path, not by a relative one"
    : null;
}
