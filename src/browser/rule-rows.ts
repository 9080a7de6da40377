// Remembered answers and rules in a database: on a machine they are files that a person edits, for which a browser has no place.
// Invariant: all rules of an answer are kept, or none.

import type { Question } from "../approval/approver.ts";
import type { AnswerOrigin, LongerScope } from "../approval/memory.ts";
import type { SharedRule, SharedRules } from "../approval/shared-store.ts";
import { compileRule, type RuleText } from "../policy/rule.ts";
import type { Hashes } from "../shared/hash.ts";
import { canonicalJson, type Json } from "../shared/json.ts";
import { ok } from "../shared/result.ts";
import type { Database } from "../store/database.ts";
import { readRow } from "../store/row.ts";
import type { SessionAnswerRows } from "../store/session-answers.ts";
import { inTransaction } from "../store/transaction.ts";

export const rulesTable = `
  CREATE TABLE IF NOT EXISTS rules (
    scope TEXT NOT NULL, project TEXT NOT NULL, id TEXT NOT NULL, is_answer INTEGER NOT NULL, agent TEXT, rule TEXT NOT NULL,
    added TEXT, by TEXT, question TEXT, PRIMARY KEY (scope, project, id)
  ) STRICT, WITHOUT ROWID;
`;

const columns = {
  scope: "text",
  id: "text",
  is_answer: "integer",
  agent: "text?",
  rule: "text",
  added: "text?",
  by: "text?",
  question: "text?",
} as const;

const longerScopes = ["project", "everywhere", "session"] as const;

/** `rulesTable` must be there. */
export function createRuleRows(database: Database, answers: SessionAnswerRows, hashes: Hashes): SharedRules {
  let version = 0;
  const changing = <T>(work: () => T): T => {
    version += 1;
    return inTransaction(database, work);
  };
  const projectOf = (scope: LongerScope, project: string): string => (scope === "project" ? project : "");
  const insert = database.prepare("INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const removal = database.prepare("DELETE FROM rules WHERE scope = ? AND project = ? AND id = ?");

  const add = (scope: "project" | "everywhere", text: RuleText, origin: AnswerOrigin): string => {
    const { agent, who, question, at, project } = origin;
    const isAnswer = text.decide === "allow";
    const id = ruleName({ ...text, agent, isAnswer }, hashes);
    const [rule, added] = [JSON.stringify(text), new Date(at).toISOString()];
    insert.run(scope, projectOf(scope, project), id, isAnswer ? 1 : 0, agent, rule, added, who, question);
    return id;
  };
  const remove = (id: string, scope: LongerScope, project: string): boolean =>
    scope === "session"
      ? answers.remove(id)
      : changing(() => Number(removal.run(scope, projectOf(scope, project), id).changes) > 0);
  const stored = (project: string): SharedRule[] =>
    database
      .prepare(
        "SELECT * FROM rules WHERE (scope = 'project' AND project = ?) OR scope = 'everywhere' ORDER BY scope, id",
      )
      .all(project)
      .map((row) => sharedRule(readRow(columns, row)));

  return {
    remember: async (scope, rules, origin) =>
      ok(
        scope === "session"
          ? answers.add(rules, origin)
          : changing(() => rules.map((text) => add(scope, text, origin))),
      ),
    async forget(scope, names, { project }) {
      for (const id of names) remove(id, scope, project);
    },
    async forgetQuestion({ id: question, project }: Question) {
      for (const { id, origin } of answers.list(null)) if (origin.question === question) answers.remove(id);
      for (const rule of stored(project)) if (rule.question === question) remove(rule.id, rule.scope, project);
    },
    ofSession: async (session, agent) => answers.rules(session, agent),
    sessionAnswers: async (session) => answers.list(session),
    async stored(project) {
      try {
        return { rules: stored(project), problem: null };
      } catch (error) {
        return { rules: [], problem: error instanceof Error ? error.message : String(error) };
      }
    },
    scopesOf: async (id, project) =>
      longerScopes.filter((scope) =>
        scope === "session"
          ? answers.list(null).some((answer) => answer.id === id)
          : stored(project).some((rule) => rule.id === id && rule.scope === scope),
      ),
    remove: async (id, scope, project) => remove(id, scope, project),
    storedVersion: async () => String(version),
  };
}

/** Throws for a rule that cannot be read: then nothing is allowed. */
function sharedRule(row: {
  readonly scope: string;
  readonly id: string;
  readonly is_answer: number;
  readonly agent: string | null;
  readonly rule: string;
  readonly added: string | null;
  readonly by: string | null;
  readonly question: string | null;
}): SharedRule {
  const { id, agent, added, by, question } = row;
  const scope = row.scope === "project" ? "project" : "everywhere";
  const text = JSON.parse(row.rule) as RuleText;
  const rule = compileRule(text, id, scope === "project" ? "this project" : "everywhere");
  if (!rule.ok) throw new Error(`The rule ${id} cannot be read: ${rule.failure.message}`);
  return { id, scope, isAnswer: row.is_answer === 1, agent, rule: rule.value, text, added, by, question };
}

function ruleName(content: object, hashes: Hashes): string {
  const { because: _, ...rest } = content as Record<string, unknown>;
  const plain = JSON.parse(JSON.stringify(rest)) as Json;
  return `r-${hashes.hex("sha256", canonicalJson(plain)).slice(0, 8)}`;
}
