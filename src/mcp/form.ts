// Turns a question into a form that an MCP client shows, and the response into an answer.
// Invariant: a question that a form cannot show completely is not asked there. Only an accepted choice that was offered is a yes.

import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import type { Answer, Question } from "../approval/approver.ts";
import { type Offer, rulesToSend } from "../approval/offer.ts";
import { describeOffer } from "../approval/question.ts";
import { renderDiff } from "../git/publish/diff-text.ts";
import { displayText } from "../shared/display.ts";
import { fieldsOf } from "../shared/json.ts";
import { limits } from "../shared/limits.ts";

/**
 * Null if the question is too long for a form. The queue shows it. The form has one field, because some clients submit no form with an
 * empty one. A reason can be given at the queue.
 */
export function questionForm(question: Question): ElicitRequestFormParams | null {
  const message = messageOf(question);
  if (message.length > limits.formCharacters) return null;
  // The narrowest choice comes first, because some clients preselect the first.
  const offers = question.offers.toSorted(
    (one, other) => Number(one.scope !== "once") - Number(other.scope !== "once"),
  );
  const choices = offers.map((offer) => ({ const: choiceOf(offer), title: titleOf(offer) }));
  return {
    mode: "form",
    message,
    requestedSchema: {
      type: "object",
      properties: {
        decision: { type: "string", title: "Your answer", oneOf: choices },
      },
      required: ["decision"],
    },
  };
}

/** The text is indented, so that a client that renders Markdown shows it literally and loads no image that an agent named. */
function messageOf({ text, diff }: Question): string {
  const changes = diff === undefined ? "" : `\n\n${shownDiff(diff)}`;
  return `${text}${changes}`.replace(/^/gm, "    ");
}

function shownDiff(diff: NonNullable<Question["diff"]>): string {
  const text = new TextDecoder().decode(renderDiff(diff));
  return displayText(text, { multiline: true, maxLength: limits.formCharacters + 1 });
}

/**
 * The choice on the form: `once`, `session`, `always` (in this project), `everywhere`; `deny`, `never` (in this project). For a set of
 * hosts, its name follows, as in `always-npm`.
 */
function choiceOf({ decision, scope, sets = [] }: Offer): string {
  if (decision === "deny") return scope === "once" ? "deny" : "never";
  return [scope === "project" ? "always" : scope, ...sets].join("-");
}

function titleOf(offer: Offer): string {
  return `${choiceOf(offer)}: ${describeOffer(offer).replaceAll("\n", " ")}`;
}

/** Null if nobody answered. `response` is untrusted: only the exact format of an answer counts. */
export function answerOfForm(question: Question, response: unknown, who: string): Answer | null {
  const { action, content } = fieldsOf(response);
  const { digest } = question.action;
  if (action === "decline") return { decision: "deny", scope: "once", digest, who, reason: null };
  if (action !== "accept") return null;
  const { decision } = fieldsOf(content);
  const offer = question.offers.find((one) => choiceOf(one) === decision);
  if (offer === undefined) return null;
  return { decision: offer.decision, scope: offer.scope, digest, who, reason: null, ...rulesToSend(offer) };
}
