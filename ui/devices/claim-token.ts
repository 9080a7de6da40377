// Pairs what runs this code with a gate, after the person has typed the code: it waits for their yes and gets the token.

import type { ClaimRequest, PairAsked, PairOutcome, PairRequest } from "../../src/web/api-devices.ts";
import { post } from "../client.ts";

const ASK_EVERY_MS = 700;

/** `onAsked` gets the number that the person compares. `isGone` ends the waiting. */
export async function claimToken(
  body: PairRequest,
  onAsked: (asked: PairAsked) => void,
  isGone: () => boolean,
): Promise<Exclude<PairOutcome, { readonly state: "asks" }>> {
  const asked = await post<PairAsked>("/api/pair", body);
  onAsked(asked);
  const claim: ClaimRequest = { claim: asked.claim };
  for (;;) {
    const outcome = await post<PairOutcome>("/api/pair/claim", claim);
    if (outcome.state !== "asks") return outcome;
    if (isGone()) return { state: "ended", why: "the page was closed" };
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}
