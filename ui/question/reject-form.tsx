// Takes a no, and the reason for the agent.

import type { OfferView } from "../../src/web/api.ts";
import { offerName } from "./offer-names.ts";

export interface RejectFormProps {
  readonly offers: readonly OfferView[];
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  readonly onChoose: (offer: OfferView, event: Event) => void;
}

const REASON_CHARACTERS = 2_000;

export function RejectForm({ offers, reason, onReason, onChoose }: RejectFormProps) {
  const [once] = offers;
  return (
    <div class="reject">
      <label class="label" for="reason">
        Or no, and why: <span class="quiet">the agent is told</span>
      </label>
      <textarea
        id="reason"
        class="field"
        rows={2}
        maxLength={REASON_CHARACTERS}
        value={reason}
        placeholder="It should rather…"
        onInput={(event) => onReason(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.repeat) return;
          event.preventDefault();
          if (once !== undefined) onChoose(once, event);
        }}
      />
      <div class="reject-buttons">
        {offers.map((offer) => (
          <button
            key={offer.scope}
            type="button"
            class={`button ${offer.scope === "once" ? "is-no" : "is-plain"}`}
            title={offer.meaning}
            data-answer={`${offer.decision}-${offer.scope}`}
            onClick={(event) => onChoose(offer, event)}
          >
            {offerName(offer)}
            {offer.scope !== "once" && "…"}
          </button>
        ))}
      </div>
    </div>
  );
}
