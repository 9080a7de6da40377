// Asks before another machine is contacted: with a person's credentials, an address that an agent chose is a way out.
// Invariant: no machine is contacted that neither a person nor a rule has named.

import type { ActionDraft } from "../action/action.ts";
import type { Effect } from "../action/effect.ts";
import type { Grant } from "../approval/grant.ts";
import { askedFindings } from "../approval/offer.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { LiveCall } from "./call-context.ts";
import type { Judged, Walk } from "./walk.ts";

export interface Contact {
  readonly place: string;
  /** null: the default one, whichever that is. */
  readonly branch: string | null;
  /** What of the person's would be used there, in words: `with your ssh keys`, `without credentials`. */
  readonly credentials: string;
}

/** The right to contact that address, for the person, in this call. It is on record when it is given. */
export async function grantContact(contact: Contact, walk: Walk): Promise<Result<Grant>> {
  const { tool, live } = walk.context;
  if (live === null) return fail("no_approver", "A plan asks nobody, and no other machine.");
  const isPush = tool === "git_push";
  const { place, branch } = contact;
  const looks = judgeContact(contact, walk, { kind: "pull", source: place, ...(isPush ? { toPush: true } : {}) });
  // A rule about looking there has the last word.
  const isOpen = looks.verdict.decision === "ask" && askedFindings(looks.verdict).every(({ by }) => by !== "rules");
  if (isPush && isOpen) {
    // Whoever allowed the push named the address: no push goes without looking there.
    const pushes = judgeContact(contact, walk, { kind: "push", target: place, branch, by: "tool" });
    if (pushes.verdict.decision === "allow") return onRecord(pushes, await walk.grant(pushes, "rules"), live);
  }
  const asked = isPush && looks.verdict.decision === "ask" ? await unsettledPush(contact, walk, live) : null;
  if (asked !== null) return onRecord(looks, ok(walk.grantByPush(looks, asked)), live);
  return onRecord(looks, await walk.grant(looks, "person"), live);
}

/** What cannot be written down throws, and nobody is contacted. */
function onRecord({ action, verdict }: Judged, grant: Result<Grant>, { record }: LiveCall): Result<Grant> {
  if (grant.ok) record.contacting(action, verdict, grant.value);
  return grant;
}

function judgeContact({ place, branch, credentials }: Contact, walk: Walk, effect: Effect): Judged {
  const { tool, session, capability } = walk.context;
  const to =
    tool === "git_push" ? `push to ${branch === null ? "its default branch" : `its branch ${branch}`}` : "pull";
  const [how = "with", ...what] = credentials.split(" ");
  const draft: ActionDraft = {
    tool,
    agent: session.id.agent,
    steps: [],
    operation: { name: "contact", path: place, mode: "r", details: { to, [how]: what.join(" ") } },
    contents: [],
    stopsAtFailure: true,
    view: { paths: [], links: [], workspace: { kind: "scratch" }, network: "none" },
    effects: [{ kind: "tool", tool }, effect],
    limits: capability.limits,
  };
  return walk.judge(draft);
}

/**
 * SECURITY(T29): a push that a person is asked about, or has said yes to, was built by looking at its place with a yes.
 * That holds until the push is settled; then the place is asked about again.
 */
async function unsettledPush(
  { place, branch }: Contact,
  { context }: Walk,
  { approvers }: LiveCall,
): Promise<string | null> {
  if (approvers.length === 0) return null;
  const { id, backend } = context.session;
  const unsettled = await backend.store.queue.unsettled(id);
  const found = unsettled.find(({ question: { action }, answer }) => {
    const { push } = action;
    if (push === undefined || action.agent !== id.agent || answer?.decision === "deny") return false;
    return push.place === place && (branch === null || push.branch === branch);
  });
  return found?.question.id ?? null;
}
