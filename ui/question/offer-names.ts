// The answers in the words of their buttons, and in the words that follow them: those of src/approval/answer-keys.ts.

import { answerName } from "../../src/approval/answer-keys.ts";
import type { Offer } from "../../src/approval/offer.ts";
import type { OfferView, QuestionView } from "../../src/web/api.ts";

export function offerName(offer: Pick<OfferView, "decision" | "scope">): string {
  return answerName(offer).button;
}

export function resultText(offer: Pick<OfferView, "decision" | "scope">): string {
  return answerName(offer).result;
}

/** As they are offered: the default first. */
export function offersOf({ offers }: Pick<QuestionView, "offers">, decision: Offer["decision"]): readonly OfferView[] {
  return offers.filter((offer) => offer.decision === decision);
}

/** What is kept beyond this session is shown as a rule first, and can be edited. */
export function isAlways({ scope }: Pick<OfferView, "scope">): boolean {
  return scope === "project" || scope === "everywhere";
}
