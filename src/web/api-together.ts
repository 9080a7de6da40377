// The messages about answering several questions at once: types only, shared by the page and the server.

import type { QuestionRow } from "./api.ts";

/** `GET /api/together/:group`: the questions of a group, the first of them whole. */
export interface TogetherView {
  /** What all of them ask for. */
  readonly wants: string;
  readonly questions: readonly TogetherRow[];
  /** How many more there are; absent if none. */
  readonly more?: number;
}

export interface TogetherRow extends QuestionRow {
  readonly digest: string;
  /** The whole question, safe to display. */
  readonly text: string;
}

/** `POST /api/answers`: one answer, once, to each of these questions as they were shown. None of them is a push. */
export interface AnswersRequest {
  readonly decision: "allow" | "deny";
  readonly reason?: string | undefined;
  readonly questions: readonly { readonly id: string; readonly digest: string }[];
}

export interface AnswersTaken {
  readonly answered: readonly string[];
  /** Those whose answer does not count, and why. */
  readonly left: readonly { readonly id: string; readonly why: string }[];
}
