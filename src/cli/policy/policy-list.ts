// `sallyport policy list`: prints every rule in force and every remembered answer with its origin, and the decision where no
// rule applies.

import { describeBuiltIn } from "../../policy/built-in-text.ts";
import { renderRule } from "../../policy/render.ts";
import type { RuleText } from "../../policy/rule.ts";
import type { Decision } from "../../policy/decision.ts";
import { type EffectKind, effectKinds } from "../../action/effect.ts";
import type { Config } from "../../config/load.ts";
import type { StoredRule } from "../../config/rule-files.ts";
import { displayText } from "../../shared/display.ts";
import type { SessionAnswer } from "../../approval/shared-store.ts";
import { decisionStyle } from "../call/dry-run.ts";
import { localTime } from "../terminal/local-time.ts";
import { type Row, tableLines, wrapText } from "../terminal/table.ts";
import type { Screen } from "../terminal/terminal.ts";

/** Where a rule or an answer is stored, and what is known about who added it. */
interface RuleOrigin {
  readonly id: string;
  readonly scope: "configuration" | "project" | "everywhere" | "session";
  readonly from?: string | null;
  readonly agent?: string | null;
  readonly session?: string | null;
  readonly added?: string | null;
  readonly by?: string | null;
  readonly question?: string | null;
  readonly expires?: string | null;
}

export interface ListedRule {
  readonly id: string;
  readonly scope: "configuration" | "project" | "everywhere" | "session";
  readonly decide: Decision;
  readonly effect: EffectKind;
  readonly rule: string;
  readonly because: string | null;
  /** "config.yaml:12" for a rule of the configuration, a path for other files, null for the state's database. */
  readonly from: string | null;
  readonly agent: string | null;
  readonly session: string | null;
  readonly added: string | null;
  readonly by: string | null;
  readonly question: string | null;
  readonly expires: string | null;
}

export interface PolicyListing {
  readonly rules: readonly ListedRule[];
  readonly answers: readonly ListedRule[];
  readonly otherwise: Readonly<Record<string, { readonly decide: Decision | null; readonly meaning: string }>>;
}

export function policyListing(
  config: Config,
  stored: readonly StoredRule[],
  sessions: readonly SessionAnswer[],
): PolicyListing {
  const written = config.policy.rules.map(({ id, origin, text }) =>
    listed(text, { id, scope: "configuration", from: origin }),
  );
  const own = (isAnswer: boolean) => stored.filter((one) => one.isAnswer === isAnswer).map(listedFile);
  return {
    rules: [...written, ...own(false)],
    answers: [...own(true), ...sessions.map(listedAnswer)],
    otherwise: Object.fromEntries(
      effectKinds.map((kind) => {
        const decide = config.policy.otherwise[kind] ?? null;
        return [kind, { decide, meaning: decide === null ? describeBuiltIn[kind] : "written in the configuration" }];
      }),
    ),
  };
}

function listed(text: RuleText, more: RuleOrigin): ListedRule {
  const { because = null, ...rest } = text;
  const nothing = { from: null, agent: null, session: null, added: null, by: null, question: null, expires: null };
  return { ...nothing, decide: text.decide, effect: text.effect, rule: renderRule(rest), because, ...more };
}

function listedFile({ id, scope, text, file, agent, added, by, question }: StoredRule): ListedRule {
  return listed(text, { id, scope, from: file, agent, added, by, question });
}

function listedAnswer({ id, rule, origin, expiresAt }: SessionAnswer): ListedRule {
  const { agent, session, who: by, question, at } = origin;
  const [added, expires] = [at, expiresAt].map((time) => new Date(time).toISOString());
  return listed(rule, {
    id,
    scope: "session",
    agent,
    session,
    added: added ?? null,
    by,
    question,
    expires: expires ?? null,
  });
}

export function listingLines({ rules, answers, otherwise }: PolicyListing, config: Config, screen: Screen): string[] {
  const of = (all: readonly ListedRule[], scope: ListedRule["scope"]) => all.filter((one) => one.scope === scope);
  const file = config.file === null ? "built in" : displayText(config.file);
  const project = displayText(config.project);
  const parts: [title: string, list: readonly ListedRule[]][] = [
    [`Rules of the configuration (${file})`, of(rules, "configuration")],
    [`Rules of this project (${project})`, of(rules, "project")],
    ["Rules for everywhere", of(rules, "everywhere")],
    ["Remembered answers of this project", of(answers, "project")],
    ["Remembered answers for everywhere", of(answers, "everywhere")],
    ["Answers of sessions", of(answers, "session")],
  ];
  const shown = parts.filter(([, list]) => list.length > 0);
  const none = `No rules and no remembered answers, neither in ${file} nor for ${project}.`;
  return [
    ...(shown.length === 0
      ? [none, ""]
      : shown.flatMap(([title, list]) => [
          screen.paint(title, "bold"),
          ...list.flatMap((one) => ruleLines(one, screen)),
          "",
        ])),
    screen.paint("Otherwise", "bold"),
    ...tableLines(
      Object.entries(otherwise).map(([kind, { decide, meaning }]): Row => [
        kind,
        decide === null ? "" : { text: decide, styles: [decisionStyle[decide]] },
        meaning,
      ]),
      screen,
      "  ",
      "wrap",
    ),
  ];
}

function ruleLines(one: ListedRule, screen: Screen): string[] {
  const row: Row = [one.id, { text: one.decide.padEnd(5), styles: [decisionStyle[one.decide]] }, displayText(one.rule)];
  const indent = " ".repeat(one.id.length + 11);
  const more = [one.because === null ? null : `because: ${one.because}`, sourceText(one)].filter(
    (text) => text !== null && text !== "",
  );
  return [
    ...tableLines([row], screen, "  ", "wrap"),
    ...more
      .flatMap((text) => wrapText(displayText(text as string), screen.width, indent))
      .map((line) => screen.paint(line, "dim")),
  ];
}

function sourceText({ scope, from, agent, session, added, by, question, expires }: ListedRule): string {
  const now = new Date();
  return [
    scope === "configuration" ? from : null,
    agent === null ? null : `for the agent ${agent}`,
    session === null ? null : `in the session ${session}`,
    by === null ? null : `by ${by}`,
    added === null ? null : localTime(added, now),
    question === null ? null : `question ${question}`,
    expires === null ? null : `until ${localTime(expires, now)}`,
  ]
    .filter((text) => text !== null)
    .join(", ");
}
