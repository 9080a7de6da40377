// Reports which questions of this browser's gate wait, so that the person can be called while the panel is closed.

import type { AnswerService } from "../../src/runtime/answer-service.ts";

/** Questions end without a change in the store. */
const REFRESH_MS = 5_000;

/** Until the worker ends. `report` hears of each change. */
export async function reportWaiting(
  answerService: AnswerService,
  report: (ids: readonly string[]) => void,
): Promise<never> {
  const { queue } = answerService;
  let reported = "";
  for (;;) {
    const version = await queue.version();
    const ids = (await answerService.listAndWithdrawEnded()).map(({ question }) => question.id);
    if (ids.join() !== reported) report(ids);
    reported = ids.join();
    await queue.changed(version, AbortSignal.timeout(REFRESH_MS));
  }
}
