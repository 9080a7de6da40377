// What a question was about, for its entries in the record.

import type { Action } from "../action/action.ts";
import type { Question } from "../approval/approver.ts";
import { questionTitle } from "../approval/question.ts";
import { redact } from "../audit/redact.ts";
import type { Json } from "../shared/json.ts";

/** Made of what is left when secrets are gone: a part of one has no shape by which it could be found. */
export function recordedTitle({ action, verdict }: Question): string {
  const told = action.steps.map(({ argv, files }) => ({ argv, files })) as unknown as Json;
  return questionTitle({ action: { steps: redact(told) as unknown as Action["steps"] }, verdict });
}
