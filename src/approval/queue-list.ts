// The list of waiting questions as a person looks at it: filtered, sorted, and with questions that are alike side by side.

import { effectKinds, type EffectKind } from "../action/effect.ts";
import type { Question, Severity } from "./approver.ts";
import { crc32 } from "../shared/crc32.ts";
import { limits } from "../shared/limits.ts";
import { orderFairly } from "./fair-order.ts";
import { askedFindings } from "./offer.ts";
import { wantsOf } from "./question.ts";
import { severityRanks } from "./severity.ts";
import type { QueuedQuestion } from "./shared-store.ts";

export const queueSorts = ["fair", "oldest", "newest", "risk"] as const;

export type QueueSort = (typeof queueSorts)[number];

export interface QueueFilter {
  readonly agent?: string | undefined;
  /** What the program that asks calls itself. */
  readonly client?: string | undefined;
  readonly session?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly effect?: EffectKind | undefined;
  /** A part of the title, of what is asked, or of the id; case does not count. */
  readonly text?: string | undefined;
}

/** Questions of one agent and project that ask for the same. A push is alike to no other. */
export interface AlikeQuestions {
  /** The same as long as one of them waits. For lists and addresses alone: an answer names its questions. */
  readonly id: string;
  /** In the order of the list. */
  readonly items: readonly QueuedQuestion[];
}

export function fitsFilter({ question }: QueuedQuestion, filter: QueueFilter): boolean {
  const { action, session, severity, claimedBy } = question;
  const fits = (wanted: string | undefined, has: string | undefined) => wanted === undefined || wanted === has;
  if (!fits(filter.agent, action.agent) || !fits(filter.client, claimedBy) || !fits(filter.session, session))
    return false;
  if (!fits(filter.severity, severity)) return false;
  if (filter.effect !== undefined && !askedKinds(question).includes(filter.effect)) return false;
  const text = filter.text?.trim().toLowerCase() ?? "";
  return text === "" || question.text.toLowerCase().includes(text) || question.id.includes(text);
}

/** What the question is about, each kind once. */
function askedKinds({ verdict }: Question): readonly EffectKind[] {
  const asked = new Set(askedFindings(verdict).map(({ effect }) => effect.kind));
  return effectKinds.filter((kind) => asked.has(kind));
}

/** The order of a sort is that of the first question of each group. */
export function groupAlike(waiting: readonly QueuedQuestion[], sort: QueueSort = "fair"): readonly AlikeQuestions[] {
  const sorted = sort === "fair" ? waiting : waiting.toSorted(comparers[sort]);
  const groups = new Map<string, QueuedQuestion[]>();
  for (const item of sorted) {
    const key = keyOf(item.question);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [item]);
    else known.push(item);
  }
  const list = [...groups].map(([key, items]): AlikeQuestions => ({ id: groupId(key), items }));
  return sort === "fair" ? fairly(list) : list;
}

/** Questions that are alike, as one action of a person answers them. */
export interface TogetherQuestions {
  /** What all of them ask for. */
  readonly wants: string;
  /** The oldest first, and no more than one action answers. */
  readonly items: readonly QueuedQuestion[];
  /** How many more of them wait. */
  readonly more: number;
}

/** Null if the group does not wait, or is a push: its diff is looked at by itself. */
export function togetherOf(waiting: readonly QueuedQuestion[], group: string): TogetherQuestions | null {
  const items = groupAlike(waiting, "oldest").find(({ id }) => id === group)?.items ?? [];
  const [first] = items;
  if (first === undefined || first.question.action.push !== undefined) return null;
  const shown = items.slice(0, limits.answeredTogether);
  return { wants: wantsOf(first.question.verdict), items: shown, more: items.length - shown.length };
}

function fairly(groups: readonly AlikeQuestions[]): readonly AlikeQuestions[] {
  const byId = new Map(groups.map((group) => [group.items[0]?.question.id, group]));
  const firsts = groups.flatMap(({ items }) => items.slice(0, 1));
  return orderFairly(firsts).flatMap(({ question }) => byId.get(question.id) ?? []);
}

const age = (one: QueuedQuestion, other: QueuedQuestion) => one.question.askedAt - other.question.askedAt;

const comparers: Readonly<
  Record<"oldest" | "newest" | "risk", (one: QueuedQuestion, other: QueuedQuestion) => number>
> = {
  oldest: age,
  newest: (one, other) => age(other, one),
  risk: (one, other) =>
    severityRanks[other.question.severity] - severityRanks[one.question.severity] || age(one, other),
};

function groupId(key: string): string {
  return `g-${crc32(new TextEncoder().encode(key)).toString(16).padStart(8, "0")}`;
}

const keys = new WeakMap<Question, string>();

/** A question never changes, and the list is made again with each change of another. */
function keyOf(question: Question): string {
  const known = keys.get(question);
  if (known !== undefined) return known;
  const { id, action, project, verdict } = question;
  const key = JSON.stringify(action.push === undefined ? [action.agent, project, action.tool, wantsOf(verdict)] : [id]);
  keys.set(question, key);
  return key;
}

export interface QueueFacets {
  readonly agents: readonly Facet[];
  readonly clients: readonly Facet[];
  readonly sessions: readonly Facet[];
  readonly severities: readonly Facet[];
  readonly effects: readonly Facet[];
}

export interface Facet {
  readonly value: string;
  readonly count: number;
  /** What to show instead of the value. */
  readonly name?: string;
}

const FACETS = 50;

/** What a person can filter by, with how many questions each has; the most frequent first. */
export function facetsOf(waiting: readonly QueuedQuestion[]): QueueFacets {
  const questions = waiting.map(({ question }) => question);
  const titles = new Map(questions.map(({ session, sessionName }) => [session, sessionName]));
  const nameOf = ({ value }: Facet) => {
    const name = titles.get(value);
    return name === undefined ? {} : { name };
  };
  return {
    agents: counted(questions.map(({ action }) => action.agent)),
    clients: counted(questions.flatMap(({ claimedBy }) => claimedBy ?? [])),
    sessions: counted(questions.map(({ session }) => session)).map((facet) => ({ ...facet, ...nameOf(facet) })),
    severities: counted(questions.map(({ severity }) => severity)),
    effects: counted(questions.flatMap(askedKinds)),
  };
}

function counted(values: readonly string[]): readonly Facet[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .slice(0, FACETS);
}
