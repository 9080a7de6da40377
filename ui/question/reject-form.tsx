// Takes a no, and the reason for the agent.

import { commentText, type ReviewComment } from "../../src/approval/review-comments.ts";
import type { OfferView } from "../../src/web/api.ts";
import { T } from "../text.tsx";
import { offerName } from "./offer-names.ts";

export interface RejectFormProps {
  readonly offers: readonly OfferView[];
  readonly reason: string;
  readonly comments: readonly ReviewComment[];
  readonly onComments: (comments: readonly ReviewComment[]) => void;
  /** Whether there is a diff with lines to comment on. */
  readonly takesComments: boolean;
  readonly onReason: (reason: string) => void;
  readonly onChoose: (offer: OfferView, event: Event) => void;
}

const REASON_CHARACTERS = 2_000;

export function RejectForm(props: RejectFormProps) {
  const { offers, reason, comments, onComments, takesComments, onReason, onChoose } = props;
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
      {takesComments && comments.length === 0 && (
        <p class="quiet comment-hint">
          A click on a line's number in the diff, or <kbd>c</kbd>, comments on that line.
        </p>
      )}
      {comments.length > 0 && <p class="quiet comment-hint">Your comments go with a no. A yes does not send them.</p>}
      {comments.length > 0 && (
        <ul class="comment-list" aria-label="Your comments">
          {comments.map((comment, at) => (
            <li key={at}>
              <span class="comment-text">
                <T text={commentText(comment)} multiline maxLength={4_000} />
              </span>
              <button
                type="button"
                class="button is-plain"
                aria-label={`Remove the comment on line ${comment.line}`}
                onClick={() => onComments(comments.filter((_, other) => other !== at))}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
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
            {offer.scope === "once" && comments.length > 0 ? "Request changes" : offerName(offer)}
            {offer.scope !== "once" && "…"}
          </button>
        ))}
      </div>
    </div>
  );
}
