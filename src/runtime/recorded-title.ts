// The title of a question, for its entries in the record.

import type { Action } from "../action/action.ts";
import type { Question } from "../approval/approver.ts";
import { questionTitle } from "../approval/question.ts";
import { redact } from "../audit/redact.ts";
import type { Json } from "../shared/json.ts";

/** Redacts secrets before it builds the title. A title may contain a part of a secret, which redaction could not recognize. */
export function recordedTitle({ action, verdict }: Question): string {
  const steps = action.steps.map(({ argv, files }) => ({ argv, files })) as unknown as Json;
  return questionTitle({ action: { steps: redact(steps) as unknown as Action["steps"] }, verdict });
}
