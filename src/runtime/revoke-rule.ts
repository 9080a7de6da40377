// Takes back rules and remembered answers. Each is written down first: what cannot be written down is not done.

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

/** `scopes` are among those where it is. Gives the rule; undefined where nobody can read it. */
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
