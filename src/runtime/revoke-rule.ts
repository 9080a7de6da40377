// Takes back rules and remembered answers. Each is written down first: what cannot be written down is not done.

import type { Journal } from "../audit/journal.ts";
import { removeRule } from "../config/amend.ts";
import { loadRuleFiles, type RulePaths, storedRuleIds } from "../config/rule-files.ts";
import { renderRule } from "../policy/render.ts";
import type { RuleText } from "../policy/rule.ts";
import type { SessionAnswers } from "../store/session-answers.ts";

const rememberedScopes = ["project", "everywhere", "session"] as const;

export type RememberedScope = (typeof rememberedScopes)[number];

export interface RevokeContext {
  readonly places: RulePaths;
  /** null: no session has any. */
  readonly sessionAnswers: SessionAnswers | null;
}

/** The scopes in which there is one of that name: the same rule has the same name in each. */
export function scopesOfRule(id: string, { places, sessionAnswers }: RevokeContext): readonly RememberedScope[] {
  return rememberedScopes.filter((scope) =>
    scope === "session"
      ? (sessionAnswers?.list(null).some((answer) => answer.id === id) ?? false)
      : storedRuleIds(scope, places).includes(id),
  );
}

/** `scopes` are among those where it is. Gives the rule; undefined where nobody can read it. */
export function revokeRule(
  id: string,
  scopes: readonly RememberedScope[],
  who: string,
  journal: Journal,
  context: RevokeContext,
): RuleText | undefined {
  const { places, sessionAnswers } = context;
  const rule =
    loadRuleFiles(places).stored.find((one) => one.id === id)?.text ??
    sessionAnswers?.list(null).find((one) => one.id === id)?.rule;
  const removed = rule === undefined ? [] : [renderRule(rule)];
  journal.append(
    { event: "policy.changed", outcome: { removed, id, scope: scopes.join(", "), who } },
    { durable: true },
  );
  for (const scope of scopes)
    if (scope === "session") sessionAnswers?.remove(id);
    else removeRule({ id, scope }, places);
  return rule;
}
