// The events and fields of the record, for the documents.

import type { Entry, EntryEvent } from "../src/audit/entry.ts";

export const eventFacts: Record<EntryEvent, string> = {
  "tool.call.received": "a call has arrived, before it is parsed",
  "tool.call.denied": "the call was refused; nothing started",
  "tool.call.dispatched": "the call was granted; its programs or its work start after this entry is on disk",
  "tool.call.finished": "how the call ended",
  "approval.requested": "a person is asked",
  "approval.answered": "a person, or an approver, answered",
  "approval.timeout": "nobody answered in time, or the question was withdrawn with its session (`withdrawn`)",
  "commit.staged": "`git_stage` froze files into a commit",
  "commit.discarded": "`git_discard` removed a staged commit",
  "commit.pushed": "a staged commit landed in a target",
  "files.pulled": "`git_pull` copied files into the workspace",
  "session.began": "a call began a draft: its name, project and first commit",
  "session.landed":
    "a person landed what a session had changed: with `sallyport changes land`, in `sallyport review`, or on the page",
  "session.discarded": "a person discarded what a session had changed, in the same places",
  "session.restored": "a person took a discarded draft back, or it could not be discarded (`why`)",
  "network.opened": "a program of the call wants to reach a host (`args`), and what was decided about it",
  "network.request":
    "a request that the gate sent with a credential of the person has ended: method, host and path without the query (`args`), status and bytes of the bodies; at most 200 at once, 5 a second in the long run and 8 MB in a call, then how many are not written (`dropped`)",
  "network.used":
    "at the end of the call, for each host that was allowed and tried: connections, bytes and addresses; `refused`, how often the gate refused or ended a connection or a request all the same, and `why`, the last time. A host that was not reached has 0 connections",
  "agent.said":
    "a client says that its agent uses a tool of its own (`args`): a [claim](run.md#what-the-agent-says), which the gate has not checked",
  "policy.changed": "a rule or a remembered answer was added or removed",
  "device.paired": "a person let a device in that showed the right code, and it got its token",
  "device.refused": "a device was not let in, and why (`why`)",
  "device.revoked": "a person, or the device itself, ended what a paired device may do",
  "audit.cut": "the log found that its end is missing; only the log itself writes this",
};

export const entryFacts: Record<keyof Entry, string> = {
  seq: "the number of the entry, set by the log",
  time: "when it was written, set by the log",
  session: "the session",
  agent: "the agent",
  call_id: "the call that the entry belongs to; all entries of a call have the same",
  event: "one of the events above",
  tool: "the tool",
  args: "the arguments of the call, shortened and without secrets",
  digest: "the digest of the [action](policy.md#the-action)",
  decision: "`allow`, `ask` or `deny`",
  because: "the rules and grants that decided; or the person who made the call in the name of the session",
  outcome: "how it ended: exit code, sizes, time, error, answer, commit",
  prev: "the hash of the entry before",
  hash: "an HMAC over all other fields",
};
