// One session of a gate: what its calls share.

import type { Approver } from "../approval/approver.ts";
import type { ShownConflict } from "../git/publish/push/shown-conflict.ts";
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
  /** True if nobody can open this session again. */
  readonly endsWithGate: boolean;
  readonly machine: Machine;
  readonly backend: Backend;
  readonly registry: Registry;
  /** From the configuration and the worker. It still includes what the rules deny. */
  readonly capability: Capability;
  readonly rules: RuleBook;
  readonly workspace: SessionWorkspace;
  /** The gate asks them in order, unless a call brings its own. */
  readonly approvers: readonly Approver[];
  /** The worker's default target. Null if there is none. */
  readonly defaultTarget: GitTarget | null;
  /** Where the workspace lies in its repository; "" if it is the whole of it. */
  readonly below: string;
  /** Shows a conflict to the person who has opened the gate; null if an agent calls. */
  readonly onConflict: ((conflict: ShownConflict) => void) | null;
  /** Called before a question of this session is asked. */
  readonly onAsking: () => void;
}
