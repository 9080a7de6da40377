// Asks before another machine is asked anything: with a person's credentials, an address that an agent chose is a way out.
// Invariant: nobody is spoken to whom neither a person nor a rule has named.

import type { Action } from "../action/action.ts";
import type { Effect } from "../action/effect.ts";
import { type ApprovalContext, approve } from "../approval/approve.ts";
import { type Grant, grantByMemory } from "../approval/grant.ts";
import { askedFindings } from "../approval/offer.ts";
import type { QueuedQuestion } from "../approval/queue.ts";
import type { Capability } from "../policy/capability.ts";
import type { Verdict } from "../policy/decision.ts";
import { judge } from "../policy/evaluate.ts";
import type { Policy } from "../policy/policy.ts";
import { ok, type Result } from "../shared/result.ts";
import { seal } from "./seal.ts";

export interface ContactContext {
  readonly tool: string;
  readonly agent: string;
  readonly capability: Capability;
  readonly policy: Policy;
  readonly approvals: ApprovalContext;
  /** The questions of this session that are not settled. */
  readonly unsettled: () => readonly QueuedQuestion[];
  /** Writes it down; what cannot be written down throws, and nobody is spoken to. */
  readonly granted: (action: Action, verdict: Verdict, grant: Grant) => void;
}

export interface Contact {
  readonly place: string;
  /** null: the default one, whichever that is. */
  readonly branch: string | null;
  /** What of the person's would be used there, in words: `with your ssh keys`, `without credentials`. */
  readonly credentials: string;
}

/** The right to speak to that place, for the person, in this call. */
export async function askContact(contact: Contact, context: ContactContext): Promise<Result<Grant>> {
  const { capability, policy, granted } = context;
  const isPush = context.tool === "git_push";
  const { place, branch } = contact;
  const looks = contactAction(contact, context, { kind: "pull", source: place, ...(isPush ? { toPush: true } : {}) });
  const verdict = judge(looks, capability, policy);
  // A rule about looking there has the last word.
  const isOpen = verdict.decision === "ask" && askedFindings(verdict).every(({ by }) => by !== "rules");
  if (isPush && isOpen) {
    // Who allowed the push named the place: no push goes without looking there.
    const pushes = contactAction(contact, context, { kind: "push", target: place, branch, by: "tool" });
    const allowed = judge(pushes, capability, policy);
    if (allowed.decision === "allow") return given(pushes, allowed, await approve(pushes, allowed, context.approvals));
  }
  const asked = isPush && verdict.decision === "ask" ? unsettledPush(contact, context) : null;
  if (asked !== null) return given(looks, verdict, ok(grantByMemory(looks, [asked])));
  return given(looks, verdict, await approve(looks, verdict, context.approvals));

  function given(action: Action, by: Verdict, grant: Result<Grant>): Result<Grant> {
    if (grant.ok) granted(action, by, grant.value);
    return grant;
  }
}

function contactAction(
  { place, branch, credentials }: Contact,
  { tool, agent, capability }: ContactContext,
  effect: Effect,
): Action {
  const to =
    tool === "git_push" ? `push to ${branch === null ? "its default branch" : `its branch ${branch}`}` : "pull";
  const [how = "with", ...what] = credentials.split(" ");
  return seal({
    tool,
    agent,
    steps: [],
    operation: { name: "contact", path: place, mode: "r", details: { to, [how]: what.join(" ") } },
    contents: [],
    stopsAtFailure: true,
    view: { paths: [], links: [], workspace: { kind: "scratch" }, network: "none" },
    effects: [{ kind: "tool", tool }, effect],
    limits: capability.limits,
  });
}

/**
 * SECURITY(T29): a push that a person is asked about, or has said yes to, was built by looking at its place with a yes.
 * That holds until the push is settled; then the place is asked about again.
 */
function unsettledPush({ place, branch }: Contact, { agent, approvals, unsettled }: ContactContext): string | null {
  if (approvals.approvers.length === 0) return null;
  const found = unsettled().find(({ question: { action }, answer }) => {
    const { push } = action;
    if (push === undefined || action.agent !== agent || answer?.decision === "deny") return false;
    return push.place === place && (branch === null || push.branch === branch);
  });
  return found?.question.id ?? null;
}
