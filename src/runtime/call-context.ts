// The context of one call in a session: the rules that judge it, and its record.

import type { Approver } from "../approval/approver.ts";
import type { Capability } from "../policy/capability.ts";
import type { Policy } from "../policy/policy.ts";
import type { RunListener } from "../process/starter.ts";
import type { GateSession } from "./gate-session.ts";
import type { CallRecord } from "./call-record.ts";
import type { InsideServer } from "./inside-server.ts";

export interface CallContext {
  readonly session: GateSession;
  /** The tool's name. */
  readonly tool: string;
  /** The agent's grants for this call, without what the rules deny. */
  readonly capability: Capability;
  readonly policy: Policy;
  /** Whether boxes of this agent reach single hosts: by grants, rules or remembered answers. */
  readonly reachesHosts: boolean;
  /** Null for a dry run, which records nothing, asks nobody and contacts no other machine. */
  readonly live: LiveCall | null;
}

export interface LiveCall {
  readonly record: CallRecord;
  readonly listener: RunListener;
  /** The gate asks them in order. Empty if nobody can be asked. */
  readonly approvers: readonly Approver[];
  /** What the program that called says it is. */
  readonly claimedBy: string | undefined;
  /** What its programs reach of the session. Null: nothing. */
  readonly inside: InsideServer | null;
  /** How long a question waits for an answer. */
  readonly timeoutMs: number;
}
