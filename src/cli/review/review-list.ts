// The list that the open `review` shows: waiting questions, staged commits, and sessions with work that has not landed. One is selected.

import {
  type AlikeQuestions,
  facetsOf,
  fitsFilter,
  groupAlike,
  togetherOf,
  type TogetherQuestions,
} from "../../approval/queue-list.ts";
import type { QueuedQuestion } from "../../approval/shared-store.ts";
import type { SessionChanges } from "../../runtime/session-changes.ts";
import { notAskedAbout, type StagedCommitView, type StagedSource } from "../../runtime/staged-commits.ts";
import { type ListChoice, noChoice } from "./review-choice.ts";
import type { ReviewChanges } from "./review-unlanded.ts";

export interface ReviewedStores {
  readonly home: string;
  readonly staged: StagedSource;
  /** Null if the configuration cannot be read. */
  readonly changes: ReviewChanges | null;
}

export type ReviewRow =
  | { readonly kind: "question"; readonly item: QueuedQuestion }
  | { readonly kind: "staged"; readonly commit: StagedCommitView }
  | { readonly kind: "session"; readonly session: SessionChanges };

export class ReviewList {
  /** All that wait, and those of them that fit the filters, those that are alike side by side. */
  #waiting: readonly QueuedQuestion[] = [];
  #groups: readonly AlikeQuestions[] = [];
  #items: readonly QueuedQuestion[] = [];
  #choice = noChoice;
  #staged: readonly StagedCommitView[] = [];
  #unlanded: readonly SessionChanges[] = [];
  #selected: string | null = null;
  /** Of all questions that were listed. */
  readonly #known = new Set<string>();

  /** Replaces the list at once. True if a question is new since the first reading. */
  show(items: readonly QueuedQuestion[], { staged, changes }: ReviewedStores, isFirst: boolean): boolean {
    this.#change(() => {
      this.#waiting = items;
      this.#staged = notAskedAbout(staged.stagedCommits(), items);
      this.#unlanded = changes?.watch.list().sessions ?? [];
    });
    const isNews = !isFirst && items.some(({ question }) => !this.#known.has(question.id));
    for (const { question } of items) this.#known.add(question.id);
    return isNews;
  }

  get choice(): ListChoice {
    return this.#choice;
  }

  choose(choice: ListChoice): void {
    this.#change(() => (this.#choice = choice));
  }

  /** Shows the questions that have this text in them; "" for all, whatever filters there were. */
  narrow(text: string): void {
    const { sort, filter } = this.#choice;
    this.choose({ sort, filter: text.trim() === "" ? {} : { ...filter, text: text.trim() } });
  }

  /** Those that fit the filters. */
  get items(): readonly QueuedQuestion[] {
    return this.#items;
  }

  /** How many wait in all. */
  get waiting(): number {
    return this.#waiting.length;
  }

  get facets() {
    return facetsOf(this.#waiting);
  }

  /** The selected question and those in the list that ask for the same; null if there are none. */
  get together(): TogetherQuestions | null {
    const group = this.#groups.find(({ items }) => items.some(({ question }) => question.id === this.#selected));
    return group === undefined || group.items.length < 2 ? null : togetherOf(this.#items, group.id);
  }

  /** What was selected stays selected, or what has come to its place. */
  #change(change: () => void): void {
    const at = this.#names().indexOf(this.#selected ?? "");
    change();
    const { sort, filter } = this.#choice;
    const fitting = this.#waiting.filter((item) => fitsFilter(item, filter));
    this.#groups = groupAlike(fitting, sort);
    this.#items = this.#groups.flatMap(({ items }) => items);
    const names = this.#names();
    if (this.#selected === null || !names.includes(this.#selected))
      this.#selected = names[Math.max(0, at)] ?? names.at(-1) ?? null;
  }

  get view() {
    return {
      groups: this.#groups,
      waiting: this.#waiting.length,
      choice: this.#choice,
      staged: this.#staged,
      unlanded: this.#unlanded,
      selected: this.#selected,
    };
  }

  get row(): ReviewRow | null {
    const at = this.#names().indexOf(this.#selected ?? "");
    const item = this.#items[at];
    if (item !== undefined) return { kind: "question", item };
    const commit = this.#staged[at - this.#items.length];
    if (commit !== undefined) return { kind: "staged", commit };
    const session = this.#unlanded[at - this.#items.length - this.#staged.length];
    return session === undefined ? null : { kind: "session", session };
  }

  select(name: string): void {
    this.#selected = name;
  }

  /** False if the key moves nothing. */
  move(key: string): boolean {
    const names = this.#names();
    const at = names.indexOf(this.#selected ?? "");
    const step = { j: 1, down: 1, k: -1, up: -1, "page-down": 10, "page-up": -10, home: -at }[key];
    if (step === undefined) return false;
    this.#selected = names[Math.max(0, Math.min(at + step, names.length - 1))] ?? null;
    return true;
  }

  #names(): string[] {
    return [
      ...this.#items.map(({ question }) => question.id),
      ...this.#staged.map(({ id }) => id),
      ...this.#unlanded.map(({ draft }) => draft),
    ];
  }
}
