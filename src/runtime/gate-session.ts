// One session of a gate: what every call in it shares.

import type { Approver } from "../approval/approver.ts";
import type { GitTarget } from "../git/target/target.ts";
import type { Capability } from "../policy/capability.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { Registry } from "../tools/registry.ts";
import type { Backend } from "./backend.ts";
import type { Machine } from "./machine.ts";
import type { RuleBook } from "./rule-book.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

export interface GateSession {
  readonly id: SessionId;
  /** Nobody can open this session again. */
  readonly endsWithGate: boolean;
  readonly machine: Machine;
  readonly backend: Backend;
  readonly registry: Registry;
  /** As the configuration and the worker say; what the rules deny of it is not taken off yet. */
  readonly capability: Capability;
  readonly rules: RuleBook;
  readonly workspace: SessionWorkspace;
  /** Asked in order, where a call brings none of its own. */
  readonly approvers: readonly Approver[];
  /** The worker's, if there is one. */
  readonly defaultTarget: GitTarget | null;
  /** A question of this session is put to somebody. */
  readonly onAsking: () => void;
}
