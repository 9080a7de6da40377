// The answers in the words of their buttons, and in the words that follow them.

import type { Offer, Scope } from "../../src/approval/offer.ts";
import type { OfferView, QuestionView } from "../../src/web/api.ts";

type Decided = Offer["decision"];

const buttons: Readonly<Record<Decided, Readonly<Record<Scope, string>>>> = {
  allow: {
    once: "Approve once",
    session: "Approve for this session",
    project: "Always in this project",
    everywhere: "Always, everywhere",
  },
  deny: {
    once: "Reject",
    session: "Reject for this session",
    project: "Always reject in this project",
    everywhere: "Always reject, everywhere",
  },
};

const results: Readonly<Record<Decided, Readonly<Record<Scope, string>>>> = {
  allow: {
    once: "Approved once",
    session: "Approved for this session",
    project: "Approved, always in this project",
    everywhere: "Approved, always and everywhere",
  },
  deny: {
    once: "Rejected",
    session: "Rejected for this session",
    project: "Rejected, always in this project",
    everywhere: "Rejected, always and everywhere",
  },
};

const order: readonly Scope[] = ["once", "session", "project", "everywhere"];

export function offerName({ decision, scope }: Pick<OfferView, "decision" | "scope">): string {
  return buttons[decision][scope];
}

export function resultText({ decision, scope }: Pick<OfferView, "decision" | "scope">): string {
  return results[decision][scope];
}

/** From the narrowest to the widest. */
export function offersOf({ offers }: Pick<QuestionView, "offers">, decision: Decided): readonly OfferView[] {
  return offers
    .filter((offer) => offer.decision === decision)
    .toSorted((one, other) => order.indexOf(one.scope) - order.indexOf(other.scope));
}

/** What is kept beyond this session is shown as a rule first, and can be edited. */
export function isAlways({ scope }: Pick<OfferView, "scope">): boolean {
  return scope === "project" || scope === "everywhere";
}
