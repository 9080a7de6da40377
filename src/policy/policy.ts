// The policy in force: the rules, what holds where none matches, and what no rule and no person can open.

import type { EffectKind } from "../action/effect.ts";
import { escapeGlob, type Glob, globBelow } from "../shared/glob.ts";
import { isWithin } from "../shared/path.ts";
import { type Capability, createCapability, type FsGrant } from "./capability.ts";
import type { Decision } from "./decision.ts";
import type { Rule } from "./rule.ts";
import { RuleIndex } from "./rule-index.ts";

export interface Policy {
  readonly index: RuleIndex;
  /** What holds for effects that no rule is about. Absent: what grants cover is allowed, and so on, as built in. */
  readonly otherwise: Readonly<Partial<Record<EffectKind, Decision>>>;
  /** Places that are nobody's to see: the record, its key, the rules. */
  readonly sealed: readonly string[];
  /** Real paths of programs that a rule denies whatever their arguments: they are hidden, so that nothing can run them. */
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
 * The grants without what the rules deny: a denied read is hidden, and so is a denied program; a denied write is
 * read-only. So the box holds it for files that no call names, too.
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
      // A pattern has no one place that could be mounted read-only: the whole grant is.
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

/** The one path that a rule names; null where it is a pattern. */
export function literalPath({ path }: Pick<Rule, "path">): string | null {
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

/** What of a path the rules keep from being read, as `hide` patterns; "all": the path itself. */
export function hiddenByRules(policy: Policy, path: string): readonly string[] | "all" {
  const patterns: string[] = [];
  for (const { text, path: glob } of policy.index.rules) {
    if (text.decide !== "deny" || text.effect !== "read") continue;
    const below = glob === null ? "matched" : globBelow(glob, namesOf(path));
    if (below === "matched") return "all";
    patterns.push(...below);
  }
  // SECURITY(T40): what is hidden can be neither run nor copied, under whatever name a script would do it.
  for (const file of policy.absent) {
    if (isWithin(path, file)) return "all";
    if (isWithin(file, path)) patterns.push(`/${escapeGlob(file.slice(path === "/" ? 1 : path.length + 1))}`);
  }
  return patterns;
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}
