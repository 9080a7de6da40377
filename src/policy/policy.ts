// The policy in force: the rules, the decision where none matches, and the paths that no rule and no person can open.

import type { EffectKind } from "../action/effect.ts";
import { escapeGlob, type Glob, globBelow } from "../shared/glob.ts";
import { isWithin } from "../shared/path.ts";
import { type Capability, createCapability, type FsGrant } from "./capability.ts";
import type { Decision } from "./decision.ts";
import type { Rule } from "./rule.ts";
import { RuleIndex } from "./rule-index.ts";

export interface Policy {
  readonly index: RuleIndex;
  /** The decision for effects that no rule matches. Absent: the built-in decision applies. */
  readonly otherwise: Readonly<Partial<Record<EffectKind, Decision>>>;
  /** Paths that no agent may see: the record, its key, the rules. */
  readonly sealed: readonly string[];
  /** Real paths of programs that a rule denies whatever their arguments. The box hides them, so that nothing can run them. */
  readonly absent: readonly string[];
}

export interface PolicyParts {
  readonly rules?: readonly Rule[];
  readonly otherwise?: Policy["otherwise"];
  readonly sealed?: readonly string[];
  readonly absent?: readonly string[];
}

export function createPolicy({ rules = [], otherwise = {}, sealed = [], absent = [] }: PolicyParts): Policy {
  return Object.freeze({ index: new RuleIndex(rules), otherwise: Object.freeze({ ...otherwise }), sealed, absent });
}

export const noRules: Policy = createPolicy({});

/**
 * The grants without what the rules deny: a path with a denied read and a denied program are hidden, a path with a denied write is
 * read-only. So the box also enforces the rule for files that no call names.
 */
export function withoutDenied(capability: Capability, policy: Policy): Capability {
  const denied = policy.index.rules.filter(({ text }) => text.decide === "deny");
  const writes = denied.filter(({ text }) => text.effect === "write");
  const hidesNothing = !denied.some(({ text }) => text.effect === "read") && policy.absent.length === 0;
  if (hidesNothing && writes.length === 0) return capability;
  const grants = capability.fsGrants.flatMap((grant): FsGrant[] => {
    const hide = hiddenByRules(policy, grant.path);
    return hide === "all" ? [] : [{ ...grant, hide: [...grant.hide, ...hide] }];
  });
  const isLocked = (grant: FsGrant) =>
    writes.some((rule) => {
      const below = rule.path === null ? "matched" : globBelow(rule.path, namesOf(grant.path));
      // A pattern names no single path that could be mounted read-only, so the whole grant becomes read-only.
      return below === "matched" || (below.length > 0 && literalPath(rule) === null);
    });
  const islands = writes.flatMap((rule): FsGrant[] => {
    const path = literalPath(rule);
    const isInside = path !== null && grants.some((grant) => grant.mode === "rw" && isWithin(path, grant.path));
    return isInside ? [{ path, mode: "r", hide: [] }] : [];
  });
  return createCapability({
    ...capability,
    fsGrants: [...grants.map((grant) => (isLocked(grant) ? { ...grant, mode: "r" as const } : grant)), ...islands],
  });
}

/** The single path that a rule names; null if it is a pattern. */
export function literalPath({ path }: Rule): string | null {
  return path === null ? null : literalGlobPath(path);
}

export function literalGlobPath({ components }: Glob): string | null {
  const names: string[] = [];
  for (const part of components) {
    if (part.kind !== "name") return null;
    for (const token of part.tokens) if (token.kind !== "literal") return null;
    names.push(part.tokens.map((token) => (token.kind === "literal" ? token.character : "")).join(""));
  }
  return `/${names.join("/")}`;
}

/** What the rules forbid to read below a path, as `hide` patterns; "all" if it is the path itself. */
export function hiddenByRules(policy: Policy, path: string): readonly string[] | "all" {
  const patterns: string[] = [];
  for (const { text, path: glob } of policy.index.rules) {
    if (text.decide !== "deny" || text.effect !== "read") continue;
    const below = glob === null ? "matched" : globBelow(glob, namesOf(path));
    if (below === "matched") return "all";
    patterns.push(...below);
  }
  // SECURITY(T40): a hidden program can neither be run nor copied, whatever name a script uses.
  for (const file of policy.absent) {
    if (isWithin(path, file)) return "all";
    if (isWithin(file, path)) patterns.push(`/${escapeGlob(file.slice(path === "/" ? 1 : path.length + 1))}`);
  }
  return patterns;
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}
