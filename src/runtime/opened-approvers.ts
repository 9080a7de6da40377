// Who is asked: approvers, some of which are made with the answer service of the store.

import type { Approver } from "../approval/approver.ts";
import type { Config } from "../config/load.ts";
import type { AnswerService } from "./answer-service.ts";

/** The gate asks them in order. A function gets the answer service, which answers the questions of every process on this store. */
export type Approvers = readonly (Approver | ((answerService: AnswerService) => Approver))[];

/** Empty in `deny` mode, because then nobody is asked. */
export function openedApprovers(
  config: Config,
  answerService: AnswerService,
  approvers: Approvers,
): readonly Approver[] {
  if (config.approvals.mode === "deny") return [];
  return approvers.map((one) => (typeof one === "function" ? one(answerService) : one));
}
