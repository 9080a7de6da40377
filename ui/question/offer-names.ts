// The names of the answers, on their buttons and in the sentences after them. They are those of src/approval/answer-keys.ts.

import { answerName } from "../../src/approval/answer-keys.ts";
import type { Offer } from "../../src/approval/offer.ts";
import type { OfferView, QuestionView } from "../../src/web/api.ts";

export function offerName(offer: Pick<OfferView, "decision" | "scope" | "sets">): string {
  return answerName(offer).button;
}

export function resultText(offer: Pick<OfferView, "decision" | "scope">): string {
  return answerName(offer).result;
}

/** What an answer does beyond its own question. */
export function alsoText(count: number): string {
  return count === 1 ? "It also answers 1 waiting question." : `It also answers ${count} waiting questions.`;
}

/** In the order in which they are offered: the default first. */
export function offersOf({ offers }: Pick<QuestionView, "offers">, decision: Offer["decision"]): readonly OfferView[] {
  return offers.filter((offer) => offer.decision === decision);
}

/** True for an answer that is stored beyond the session. The page shows its rule first, and the person can edit it. */
export function isAlways({ scope }: Pick<OfferView, "scope">): boolean {
  return scope === "project" || scope === "everywhere";
}
