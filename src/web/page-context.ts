// What the page's server needs. The code that starts the server opens and closes all of it.

import type { Hono } from "hono";
import type { SharedStore } from "../approval/shared-store.ts";
import type { Journal } from "../audit/journal.ts";
import type { Config } from "../config/load.ts";
import type { RulePaths } from "../config/rule-files.ts";
import type { StagedStore } from "../git/staged.ts";
import type { PushTerms } from "../notify/channel.ts";
import type { AnswerService } from "../runtime/answer-service.ts";
import type { Backend } from "../runtime/backend.ts";
import type { Clock } from "../shared/clock.ts";
import type { Json } from "../shared/json.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import type { Result } from "../shared/result.ts";
import type { Devices } from "../store/devices.ts";

export interface PageContext {
  readonly answerService: AnswerService;
  readonly store: SharedStore;
  /** The server records revoked rules in it. */
  readonly journal: Journal;
  readonly staged: StagedStore;
  /** For what sessions have not landed. */
  readonly backend: Backend;
  /** The configuration as it is for another project. */
  readonly configFor: (project: string, workspace: "draft" | "memory") => Result<Config>;
  /** The directories of the rules that are shown and revoked. */
  readonly directories: RulePaths;
  /** The name of the person who answers, for the record. */
  readonly person: string;
  /** What the person has paired. */
  readonly devices: Devices;
  readonly clock: Clock;
  /** The directory of the built page. */
  readonly pageDirectory: string;
  /** The port that the server listens on. A request may name no other. */
  readonly port: () => number;
  /** If the page is there for other devices, too: the names by which their browsers may call it, and its port. */
  readonly outer?: { readonly names: readonly string[]; readonly port: () => number } | undefined;
  /** If paired devices can be told that questions wait. */
  readonly push?: { readonly publicKey: string; readonly terms: PushTerms } | undefined;
  /** The command with which a person starts this program. */
  readonly command?: OwnCommand;
  /** Returns what `sallyport doctor --json` prints. */
  readonly machine: () => Promise<Json>;
  /** Adds other routes. They are reachable only by this machine's own names, and check their own token. */
  readonly mount?: ((app: Hono) => void) | undefined;
  /** Receives faults of the server. The page is only told `internal`. */
  readonly onFault?: ((fault: unknown) => void) | undefined;
}
