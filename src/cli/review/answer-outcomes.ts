// What came of the yeses that the person gave in this `review`.

import { answerUseOf } from "../../approval/answer-use.ts";
import type { SettledAnswer } from "../../approval/approver.ts";
import type { QuestionQueue, RecordReader } from "../../approval/shared-store.ts";
import { callEndOf } from "../../audit/call-end.ts";
import { displayText } from "../../shared/display.ts";

export class AnswerOutcomes {
  readonly #queue: () => QuestionQueue;
  readonly #record: () => RecordReader;
  readonly #open = new Set<string>();
  #seq = -1;

  constructor(queue: () => QuestionQueue, record: () => RecordReader) {
    this.#queue = queue;
    this.#record = record;
  }

  follow({ question, decision }: SettledAnswer): void {
    if (decision === "allow") this.#open.add(question);
    this.#seq = -1;
  }

  /** What is known since the last time, a sentence for each answer whose call has ended. */
  async news(): Promise<readonly string[]> {
    if (this.#open.size === 0) return [];
    const seq = await this.#record().lastSeq();
    if (seq === this.#seq) return [];
    this.#seq = seq;
    const said: string[] = [];
    for (const id of this.#open) {
      const use = await answerUseOf(this.#queue(), id);
      if (use.state === "open" || use.state === "awaited") continue;
      const end = use.state === "taken" && use.call !== null ? callEndOf(await this.#record().story(use.call)) : null;
      if (end !== null)
        said.push([`${displayText(id)}: ${end.text}`, end.link].filter((part) => part !== null).join(" "));
      if (end !== null || use.state === "over") this.#open.delete(id);
    }
    return said;
  }
}
