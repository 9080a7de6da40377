// Revokes rules and remembered answers. The revocation is recorded first. If it cannot be recorded, nothing is revoked.

import type { LongerScope } from "../approval/memory.ts";
import type { SharedRules } from "../approval/shared-store.ts";
import type { Journal } from "../audit/journal.ts";
import { renderRule } from "../policy/render.ts";
import type { RuleText } from "../policy/rule.ts";

export interface RevokeContext {
  readonly rules: SharedRules;
  readonly journal: Journal;
  readonly project: string;
  readonly who: string;
}

/** `scopes`: scopes that contain the rule. Returns the rule, or undefined if it cannot be read. */
export async function revokeRule(
  id: string,
  scopes: readonly LongerScope[],
  { rules, journal, project, who }: RevokeContext,
): Promise<RuleText | undefined> {
  const stored = (await rules.stored(project)).rules.find((one) => one.id === id)?.text;
  const rule = stored ?? (await rules.sessionAnswers(null)).find((one) => one.id === id)?.rule;
  const removed = rule === undefined ? [] : [renderRule(rule)];
  journal.append(
    { event: "policy.changed", outcome: { removed, id, scope: scopes.join(", "), who } },
    { durable: true },
  );
  for (const scope of scopes) await rules.remove(id, scope, project);
  return rule;
}
