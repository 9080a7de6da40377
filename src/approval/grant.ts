// A Grant is the right to carry out one action. Nothing starts without one.
// Invariant: only this file makes grants: from an `allow` verdict, from a person's yes to exactly this digest, from remembered
// yeses that cover everything that is asked, or for the git processes that carry out a granted push.

import type { Action } from "../action/action.ts";
import type { Verdict } from "../policy/decision.ts";
import type { SettledAnswer } from "./approver.ts";

const maker = Symbol("grant maker");
const byRule = "rule";

export class Grant {
  readonly #action: Action;
  readonly decidedBy: string;

  constructor(key: typeof maker, action: Action, decidedBy: string) {
    // SECURITY(T02): the key never leaves this file, so no other code can make a grant.
    if (key !== maker) throw new TypeError("a grant is made only by approval/grant.ts");
    this.#action = action;
    this.decidedBy = decidedBy;
    Object.freeze(this);
  }

  /** False if a person said yes, now or before. */
  get isByRule(): boolean {
    return this.decidedBy === byRule;
  }

  get action(): Action {
    return this.#action;
  }

  static isGrant(value: unknown): value is Grant {
    return typeof value === "object" && value !== null && #action in value;
  }
}

// Otherwise other code could replace `action` on `Grant.prototype`, and every real grant would be for that action.
Object.freeze(Grant);
Object.freeze(Grant.prototype);

export function grantByVerdict(action: Action, verdict: Verdict): Grant {
  if (verdict.decision !== "allow") throw new TypeError(`a verdict of ${verdict.decision} grants nothing`);
  return new Grant(maker, action, byRule);
}

export function grantByAnswer(action: Action, answer: SettledAnswer): Grant {
  if (answer.decision !== "allow") throw new TypeError("a no grants nothing");
  if (answer.digest !== action.digest) throw new TypeError("this answer is for another action");
  return new Grant(maker, action, `${answer.who} (question ${answer.question}, ${answer.scope})`);
}

/** `answers` are the names of remembered answers for effects like these. */
export function grantByMemory(action: Action, answers: readonly string[]): Grant {
  if (answers.length === 0) throw new TypeError("no answer grants nothing");
  return new Grant(maker, action, `remembered ${answers.join(", ")}`);
}

/** For one git process of a landing. The person agreed to the commit, and the gate decides how it gets there. */
export function grantToLand(action: Action, pushed: Grant): Grant {
  // SECURITY(T02): this requires the grant of a push.
  if (!Grant.isGrant(pushed) || pushed.action.operation?.name !== "git_push")
    throw new TypeError("nothing lands without the grant of a push");
  return new Grant(maker, action, pushed.decidedBy);
}
