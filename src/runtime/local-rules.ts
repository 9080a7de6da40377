// Remembered answers and rules on one machine. A session's answers are stored with the questions. Rules and longer answers are in files
// below the configuration directory.
// Invariant: the question decides where its answer is stored, not the process in which a person answers.

import type { Question } from "../approval/approver.ts";
import type { AnswerOrigin, LongerScope } from "../approval/memory.ts";
import type { SharedRules } from "../approval/shared-store.ts";
import { addRule, removeRule } from "../config/amend.ts";
import { describeConfigErrors } from "../config/config-error.ts";
import { loadRuleFiles, type RulePaths, ruleFilesVersion, storedRuleIds } from "../config/rule-files.ts";
import type { RuleText } from "../policy/rule.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { SessionAnswerRows } from "../store/session-answers.ts";

export interface LocalRulesContext {
  readonly configDirectory: string;
  readonly home: string;
  /** Null if the file does not exist. Reading does not create it. */
  readonly knownAnswers: () => SessionAnswerRows | null;
  readonly answersToWrite: () => SessionAnswerRows;
}

const longerScopes = ["project", "everywhere", "session"] as const;

export function createLocalRules(context: LocalRulesContext): SharedRules {
  const { configDirectory, home, knownAnswers, answersToWrite } = context;
  const pathsOf = (project: string): RulePaths => ({ configDirectory, home, project });
  const remove = (id: string, scope: LongerScope, project: string): boolean =>
    scope === "session" ? (knownAnswers()?.remove(id) ?? false) : removeRule({ id, scope }, pathsOf(project));
  const remember = (
    scope: LongerScope,
    rules: readonly RuleText[],
    origin: AnswerOrigin,
  ): Result<readonly string[]> => {
    const { agent, who, question, at, project } = origin;
    const added: string[] = [];
    try {
      if (scope === "session") return ok(answersToWrite().add(rules, origin));
      for (const text of rules) {
        const addition = { scope, text, isAnswer: text.decide === "allow", agent, by: who, question, at };
        added.push(addRule(addition, pathsOf(project)));
      }
      return ok(added);
    } catch (error) {
      for (const id of added) remove(id, scope, project);
      return fail("internal", error instanceof Error ? error.message : String(error));
    }
  };
  const forgetQuestion = ({ id: question, project }: Question): void => {
    for (const { id, origin } of knownAnswers()?.list(null) ?? [])
      if (origin.question === question) remove(id, "session", project);
    for (const rule of loadRuleFiles(pathsOf(project)).stored)
      if (rule.question === question) remove(rule.id, rule.scope, project);
  };
  return {
    remember: async (scope, rules, origin) => remember(scope, rules, origin),
    async forget(scope, names, { project }) {
      for (const id of names) remove(id, scope, project);
    },
    forgetQuestion: async (question) => forgetQuestion(question),
    ofSession: async (session, agent) => knownAnswers()?.rules(session, agent) ?? [],
    sessionAnswers: async (session) => knownAnswers()?.list(session) ?? [],
    async stored(project) {
      const { stored, errors } = loadRuleFiles(pathsOf(project));
      const problem = errors.length === 0 ? null : (describeConfigErrors(errors.slice(0, 1)).split("\n")[0] ?? "");
      return { rules: stored, problem };
    },
    scopesOf: async (id, project) =>
      longerScopes.filter((scope) =>
        scope === "session"
          ? (knownAnswers()
              ?.list(null)
              .some((answer) => answer.id === id) ?? false)
          : storedRuleIds(scope, pathsOf(project)).includes(id),
      ),
    remove: async (id, scope, project) => remove(id, scope, project),
    storedVersion: async (project) => ruleFilesVersion(pathsOf(project)),
  };
}
