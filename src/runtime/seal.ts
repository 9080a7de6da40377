// Seals actions with this machine's hash.

import type { Action, ActionDraft } from "../action/action.ts";
import { sealAction } from "../action/digest.ts";
import { nodeHashes } from "../process/node-hashes.ts";

export function seal(draft: ActionDraft): Action {
  return sealAction(draft, (text) => nodeHashes.hex("sha256", text));
}
