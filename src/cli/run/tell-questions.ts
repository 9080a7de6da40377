// Tells the person on their terminal that a question waits and where to answer it, as long as no program draws there.
// Invariant: nothing is asked here. SECURITY(T70): a program reads the keys of this terminal, and draws on it.

import type { Approver, Question, Response } from "../../approval/approver.ts";
import { questionTitle } from "../../approval/question.ts";
import type { QuestionQueue } from "../../approval/shared-store.ts";
import { displayText } from "../../shared/display.ts";
import { describeSettled } from "../terminal/terminal-prompt.ts";

export interface Teller {
  /** False while a program draws on the terminal. */
  readonly canTell: () => boolean;
  readonly say: (text: string) => void;
}

export function tellingApprover(approver: Approver, queue: () => QuestionQueue, { canTell, say }: Teller): Approver {
  const told = (text: string): void => (canTell() ? say(text) : undefined);
  return {
    ...approver,
    async ask(question, signal) {
      if (canTell()) for (const line of await waitingLines(question, queue())) told(line);
      const response = await approver.ask(question, signal);
      told(`${displayText(question.id)}: ${endOf(response)}`);
      return response;
    },
  };
}

async function waitingLines(question: Question, queue: QuestionQueue): Promise<readonly string[]> {
  const { id } = question;
  const [page] = await queue.pages();
  const review = queue.command("review", id);
  const onPage = page === undefined ? "" : `at ${page}/#/q/${id}, or `;
  return [
    `a question waits for you: ${questionTitle(question, 300)}`,
    `answer ${onPage}in another terminal with: ${displayText(review)}`,
  ];
}

function endOf(response: Response | null): string {
  return response !== null && "settled" in response ? describeSettled(response.settled) : "not answered";
}
