// One call in a session: the rules that it is judged by, and where it is written down.

import type { Approver } from "../approval/approver.ts";
import type { Capability } from "../policy/capability.ts";
import type { Policy } from "../policy/policy.ts";
import type { RunListener } from "../process/starter.ts";
import type { GateSession } from "./gate-session.ts";
import type { CallRecord } from "./record.ts";

export interface CallContext {
  readonly session: GateSession;
  /** The tool's name. */
  readonly tool: string;
  /** The agent's grants without what the rules deny, as they are in force for this call. */
  readonly capability: Capability;
  readonly policy: Policy;
  /** null: a dry run. It writes nothing down, asks nobody and contacts no other machine. */
  readonly live: LiveCall | null;
}

export interface LiveCall {
  readonly record: CallRecord;
  readonly listener: RunListener;
  /** Asked in order. None: nobody can be asked. */
  readonly approvers: readonly Approver[];
  /** How long a question waits for an answer. */
  readonly timeoutMs: number;
}
