// Finds the few rules, among many, that can match an effect.
// Invariant: every rule that `matchesRule` would match is among the candidates. The index only skips rules that cannot match.

import type { Effect, EffectKind, Word } from "../action/effect.ts";
import { ancestorsOf, baseName } from "../shared/path.ts";
import { parseOneHost } from "./host-pattern.ts";
import type { Rule } from "./rule.ts";
import { isLiteral } from "./word-pattern.ts";

interface Shelf {
  /** Rules that can match only one name, path or host, by that key. */
  readonly byKey: Map<string, Rule[]>;
  readonly others: Rule[];
}

export class RuleIndex {
  readonly rules: readonly Rule[];
  readonly #shelves = new Map<EffectKind, Shelf>();

  constructor(rules: readonly Rule[]) {
    this.rules = rules;
    for (const rule of rules) {
      const shelf: Shelf = this.#shelves.get(rule.text.effect) ?? { byKey: new Map(), others: [] };
      this.#shelves.set(rule.text.effect, shelf);
      const key = keyOrNone(rule);
      const same = key === null ? shelf.others : shelf.byKey.get(key);
      if (same === undefined) shelf.byKey.set(key as string, [rule]);
      else same.push(rule);
    }
  }

  *candidates(effect: Effect): Generator<Rule> {
    const shelf = this.#shelves.get(effect.kind);
    if (shelf === undefined) return;
    yield* shelf.others;
    const keys = keysOfEffect(effect);
    if (keys === null) for (const rules of shelf.byKey.values()) yield* rules;
    else for (const key of new Set(keys)) yield* shelf.byKey.get(key) ?? [];
  }
}

/** A rule that cannot be read matches every effect of its kind, so it is tried and denies. */
function keyOrNone(rule: Rule): string | null {
  try {
    return keyOfRule(rule);
  } catch {
    return null;
  }
}

function keyOfRule(rule: Rule): string | null {
  switch (rule.text.effect) {
    case "run":
    case "privilege":
    case "interactive":
    case "destroy":
      if (rule.program?.kind === "name") return isLiteral(rule.program.pattern) ? rule.program.pattern[0] : null;
      return rule.argv?.[0] !== undefined && isLiteral(rule.argv[0]) ? baseName(rule.argv[0][0]) : null;
    case "read":
    case "write":
      return rule.path === null ? null : literalPrefix(rule.path);
    case "network":
      return onlyHost(rule);
    case "tool":
      return isLiteral(rule.tool) ? rule.tool[0] : null;
    case "push":
    case "pull":
      return null;
  }
}

function onlyHost({ hosts }: Rule): string | null {
  const [one, ...others] = hosts ?? [];
  return one?.host.kind === "name" && others.length === 0 ? one.host.name : null;
}

/** null if any rule of the kind may match. */
function keysOfEffect(effect: Effect): readonly string[] | null {
  switch (effect.kind) {
    case "run":
      return commandKeys([effect.program, effect.argv[0] ?? null]);
    case "privilege":
    case "interactive":
    case "destroy":
      return commandKeys([effect.argv[0] ?? null]);
    case "read":
    case "write":
      return ["/", ...ancestorsOf(effect.path)];
    case "network":
      return hostKeys(effect.host);
    case "tool":
      return [effect.tool];
    case "push":
    case "pull":
      return null;
  }
}

function hostKeys(text: string): readonly string[] | null {
  const host = parseOneHost(text)?.host;
  return host === undefined ? null : host.kind === "name" ? [host.name] : [];
}

function commandKeys(names: readonly Word[]): readonly string[] | null {
  return names.includes(null) ? null : names.map((name) => baseName(name as string));
}

/** The directory that contains, or is, everything that the glob matches. */
function literalPrefix(glob: NonNullable<Rule["path"]>): string {
  const names: string[] = [];
  for (const component of glob.components) {
    if (component.kind !== "name" || component.tokens.some(({ kind }) => kind !== "literal")) break;
    names.push(component.tokens.map((token) => (token.kind === "literal" ? token.character : "")).join(""));
  }
  return `/${names.join("/")}`;
}
