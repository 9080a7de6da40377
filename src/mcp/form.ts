// A question as a form that an MCP client shows, and what came back as an answer.
// Invariant: what a form cannot show whole is not asked there; only an accepted, offered choice is a yes.

import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import type { Answer, Question } from "../approval/approver.ts";
import type { Offer } from "../approval/offer.ts";
import { describeOffer } from "../approval/question.ts";
import { renderDiff } from "../git/publish/diff-text.ts";
import { displayText } from "../shared/display.ts";
import { fieldsOf } from "../shared/json.ts";
import { limits } from "../shared/limits.ts";

/** null: it is too long for a form; the queue shows it. */
export function questionForm(question: Question): ElicitRequestFormParams | null {
  const message = messageOf(question);
  if (message.length > limits.formCharacters) return null;
  // The narrowest first: some clients choose the first by themselves.
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
        reason: { type: "string", title: "Why not", description: "With a no: told to the agent.", maxLength: 2_000 },
      },
      required: ["decision"],
    },
  };
}

/** Indented: a client that reads Markdown shows it as it is, and loads no picture that an agent named. */
function messageOf({ text, diff }: Question): string {
  const changes = diff === undefined ? "" : `\n\n${shownDiff(diff)}`;
  return `${text}${changes}`.replace(/^/gm, "    ");
}

function shownDiff(diff: NonNullable<Question["diff"]>): string {
  const text = new TextDecoder().decode(renderDiff(diff));
  return displayText(text, { multiline: true, maxLength: limits.formCharacters + 1 });
}

/** `once`, `session`, `always` (in this project), `everywhere`; `deny`, `never` (in this project). */
function choiceOf({ decision, scope }: Offer): string {
  if (decision === "deny") return scope === "once" ? "deny" : "never";
  return scope === "project" ? "always" : scope;
}

function titleOf(offer: Offer): string {
  return `${choiceOf(offer)}: ${describeOffer(offer).replaceAll("\n", " ")}`;
}

/** null: nobody answered. `response` comes from outside: only the exact shape of an answer is one. */
export function answerOfForm(question: Question, response: unknown, who: string): Answer | null {
  const { action, content } = fieldsOf(response);
  const { digest } = question.action;
  if (action === "decline") return { decision: "deny", scope: "once", digest, who, reason: null };
  if (action !== "accept") return null;
  const { decision, reason } = fieldsOf(content);
  const offer = question.offers.find((one) => choiceOf(one) === decision);
  if (offer === undefined) return null;
  const said = typeof reason === "string" && reason !== "" && offer.decision === "deny" ? reason : null;
  return { decision: offer.decision, scope: offer.scope, digest, who, reason: said };
}
