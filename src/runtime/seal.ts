// Seals actions with this machine's hash.

import { createHash } from "node:crypto";
import type { Action, ActionDraft } from "../action/action.ts";
import { sealAction } from "../action/digest.ts";

export function seal(draft: ActionDraft): Action {
  return sealAction(draft, (text) => createHash("sha256").update(text).digest("hex"));
}
