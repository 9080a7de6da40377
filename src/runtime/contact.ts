// Asks before the gate contacts another machine, because an agent could send data out through an address of its choice, with a person's
// credentials.
// Invariant: the gate contacts only machines that a person or a rule has allowed.

import type { Effect } from "../action/effect.ts";
import type { Grant } from "../approval/grant.ts";
import { askedFindings } from "../approval/offer.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { LiveCall } from "./call-context.ts";
import type { Judged, Walk } from "./walk.ts";

export interface Contact {
  readonly address: string;
  /** Null for the default branch. */
  readonly branch: string | null;
  /** Which of the person's credentials would be used there, as text: `with your ssh keys`, `without credentials`. */
  readonly credentials: string;
}

/** Grants contacting that address for the person in this call. The grant is recorded before it is returned. */
export async function grantContact(contact: Contact, walk: Walk): Promise<Result<Grant>> {
  const { tool, live } = walk.context;
  if (live === null) return fail("no_approver", "A plan asks nobody, and no other machine.");
  const isPush = tool === "git_push";
  const { address, branch } = contact;
  const reading = judgeContact(contact, walk, { kind: "pull", source: address, ...(isPush ? { toPush: true } : {}) });
  // A rule about reading from this address takes precedence.
  const isOpen = reading.verdict.decision === "ask" && askedFindings(reading.verdict).every(({ by }) => by !== "rules");
  if (isPush && isOpen) {
    // If a rule allows the push to this address, it allows reading there too, because every push has to read first.
    const pushing = judgeContact(contact, walk, { kind: "push", target: address, branch, by: "tool" });
    if (pushing.verdict.decision === "allow") return onRecord(pushing, await walk.grant(pushing, "rules"), live);
  }
  const asked = isPush && reading.verdict.decision === "ask" ? await unsettledPush(contact, walk, live) : null;
  if (asked !== null) return onRecord(reading, ok(walk.grantByPush(reading, asked)), live);
  return onRecord(reading, await walk.grant(reading, "person"), live);
}

/** If the grant cannot be recorded, this throws and no machine is contacted. */
function onRecord({ action, verdict }: Judged, grant: Result<Grant>, { record }: LiveCall): Result<Grant> {
  if (grant.ok) record.beginning(action, verdict, grant.value);
  return grant;
}

function judgeContact({ address, branch, credentials }: Contact, walk: Walk, effect: Effect): Judged {
  const { tool, session, capability } = walk.context;
  const to =
    tool === "git_push" ? `push to ${branch === null ? "its default branch" : `its branch ${branch}`}` : "pull";
  const [how = "with", ...what] = credentials.split(" ");
  return walk.judge({
    tool,
    agent: session.id.agent,
    steps: [],
    operation: { name: "contact", path: address, mode: "r", details: { to, [how]: what.join(" ") } },
    contents: [],
    stopsAtFailure: true,
    view: { paths: [], links: [], workspace: { kind: "scratch" }, network: "none" },
    effects: [{ kind: "tool", tool }, effect],
    limits: capability.limits,
  });
}

/**
 * SECURITY(T29): if a person is being asked about a push, or has allowed it, the gate has already read its target with a yes. That yes
 * counts until the push is settled. Then the gate asks about the address again.
 */
async function unsettledPush(
  { address, branch }: Contact,
  { context }: Walk,
  { approvers }: LiveCall,
): Promise<string | null> {
  if (approvers.length === 0) return null;
  const { id, backend } = context.session;
  const unsettled = await backend.store.queue.unsettled(id);
  const found = unsettled.find(({ question: { action }, answer }) => {
    const { push } = action;
    if (push === undefined || action.agent !== id.agent || answer?.decision === "deny") return false;
    return push.place === address && (branch === null || push.branch === branch);
  });
  return found?.question.id ?? null;
}
