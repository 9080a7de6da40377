// The digest identifies an action. An approval is for one digest, so exactly what was approved runs.
// It covers everything that changes what happens, and nothing that differs between two identical calls.

import type { Hash } from "../shared/hash.ts";
import { canonicalJson, type Json } from "../shared/json.ts";
import type { Action, UnsealedAction } from "./action.ts";

export function sealAction(unsealed: UnsealedAction, hash: Hash): Action {
  const digest = hash(canonicalJson(unsealed as unknown as Json));
  return deepFreeze({ ...unsealed, digest });
}

function deepFreeze<T extends object>(value: T): T {
  // An object that is frozen already may still hold values that are not.
  for (const member of Object.values(value))
    if (typeof member === "object" && member !== null) deepFreeze(member as object);
  return Object.freeze(value);
}
