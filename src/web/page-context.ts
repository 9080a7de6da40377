// What the page's server stands on. Everything in it is opened, and closed, by whoever starts the server.

import type { Hono } from "hono";
import type { SharedStore } from "../approval/shared-store.ts";
import type { Journal } from "../audit/journal.ts";
import type { RulePaths } from "../config/rule-files.ts";
import type { StagedStore } from "../git/staged.ts";
import type { AnswerService } from "../runtime/answer-service.ts";
import type { Json } from "../shared/json.ts";
import type { OwnCommand } from "../shared/own-command.ts";

export interface PageContext {
  readonly answerService: AnswerService;
  readonly store: SharedStore;
  /** Rules that are taken back are written down in it. */
  readonly journal: Journal;
  readonly staged: StagedStore;
  /** Whose rules are shown and taken back. */
  readonly directories: RulePaths;
  /** Who answers on the page, for the record. */
  readonly who: string;
  /** Where the built page lies. */
  readonly pageDirectory: string;
  /** The port that is listened on: the only one that a request may name. */
  readonly port: () => number;
  /** How a person starts this program. */
  readonly command?: OwnCommand;
  /** What `sallyport doctor --json` prints. */
  readonly machine: () => Json;
  /** Adds routes of another kind. They are reached by this machine's own names alone; their own token is their matter. */
  readonly mount?: ((app: Hono) => void) | undefined;
  /** We are broken: told here, and to the page as `internal` alone. */
  readonly onFault?: ((fault: unknown) => void) | undefined;
}
