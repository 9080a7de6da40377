// The keys of `review`, screen by screen. The help of each screen and the document of the command line are made of these tables.

import { firstKey, reasonKey } from "../../approval/answer-keys.ts";
import { wrapText } from "../terminal/table.ts";

export interface KeyRow {
  /** A letter or a sign as it is typed, or the name of a key. */
  readonly keys: readonly string[];
  readonly does: string;
  /** True if the key chooses an answer. Typed text may not hold one. */
  readonly isAnswer?: boolean;
}

export const listKeys: readonly KeyRow[] = [
  { keys: ["j", "k", "arrows", "PgDn", "PgUp"], does: "move" },
  { keys: ["Enter", "space"], does: "opens a question, a staged commit, or what a session has not landed" },
  { keys: ["t"], does: "shows the questions that ask for the same, whole, for one answer" },
  { keys: ["f"], does: "order and filters: risk, effect, agent, client, session" },
  { keys: ["/"], does: "shows the questions with a text in them; without a text it shows all" },
  { keys: ["?", "q"], does: "help; back, then quit" },
];

export const questionKeys: readonly KeyRow[] = [
  { keys: ["j", "k", "arrows"], does: "scroll" },
  { keys: ["space", "Enter", "PgDn", "PgUp"], does: "next page, previous page" },
  { keys: [firstKey], does: "the first answer, if it is a yes. A key chooses a yes, Enter says it" },
  { keys: ["?", "q"], does: "help; back" },
];

export const togetherKeys: readonly KeyRow[] = [
  { keys: ["space", "PgDn", "PgUp", "j", "k", "arrows"], does: "scroll" },
  { keys: ["n", "p"], does: "next question, previous question" },
  { keys: ["x"], does: "takes the mark of the question away, or puts it back" },
  {
    keys: [firstKey, "o"],
    does: "then Enter: yes, once, to each that has its mark and was on the screen whole; the others wait on",
    isAnswer: true,
  },
  { keys: [reasonKey], does: "no to each that has its mark; asks for a reason", isAnswer: true },
  { keys: ["?", "q"], does: "help; back" },
];

/** Of a push, a staged commit, and what a session has not landed. */
export const pushKeys: readonly KeyRow[] = [
  { keys: ["n", "p", "arrows"], does: "next file, previous file" },
  { keys: ["d", "Enter"], does: "the diff of the file; d and q go back" },
  {
    keys: ["space", "b", "PgDn", "PgUp"],
    does: "next page, previous page; at the end of a file, space opens the next one",
  },
  { keys: ["j", "k", "g", "G"], does: "in a diff: next line, previous line, first, last" },
  { keys: ["/"], does: "in a diff: find a text; without a text: the one before, further on" },
  { keys: [firstKey, "o"], does: "then Enter: yes, once", isAnswer: true },
  { keys: [reasonKey], does: "no; asks for a reason. A \\ at the end of a line asks for one more", isAnswer: true },
  { keys: ["?", "q"], does: "help; back" },
];

export const choiceKeys: readonly KeyRow[] = [
  { keys: ["j", "k", "arrows"], does: "move" },
  { keys: ["Enter", "space"], does: "choose; a filter again: take it away" },
  { keys: ["c"], does: "take every filter away" },
  { keys: ["f", "q"], does: "back to the list" },
];

export function keyLines(rows: readonly KeyRow[], width: number): string[] {
  return rows.flatMap(({ keys, does }) => wrapText(`${keys.join(" ")}: ${does}.`, width));
}

/** The keys that answer nothing, as a terminal sends them. */
export function movesIn(rows: readonly KeyRow[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ keys, isAnswer = false }) => (isAnswer ? [] : keys)).concat(" "));
}
