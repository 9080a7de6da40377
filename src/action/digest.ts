// The digest names an action: an approval is for one digest, so what was approved is what runs.
// It leaves out nothing that changes what happens, and nothing is in it that differs between two identical calls.

import type { Hash } from "../shared/hash.ts";
import { canonicalJson, type Json } from "../shared/json.ts";
import type { Action, ActionDraft } from "./action.ts";

export function sealAction(draft: ActionDraft, hash: Hash): Action {
  const digest = hash(canonicalJson(draft as unknown as Json));
  return deepFreeze({ ...draft, digest });
}

function deepFreeze<T extends object>(value: T): T {
  // What is frozen already may still hold something that is not.
  for (const member of Object.values(value))
    if (typeof member === "object" && member !== null) deepFreeze(member as object);
  return Object.freeze(value);
}
