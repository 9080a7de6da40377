// The gatehouse: what every gate on one store shares, opened once. A gate is opened in it for each session.

import type { Approver } from "../approval/approver.ts";
import type { Journal } from "../audit/journal.ts";
import type { Config } from "../config/load.ts";
import { readEnvironment } from "../config/environment.ts";
import { flagsTo, ownCommand } from "../config/own-command.ts";
import type { StagedStore } from "../git/staged.ts";
import { openSandbox, type Sandbox } from "../sandbox/sandbox.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { type Approvals, openApprovals } from "../store/approvals.ts";
import { openGuardLedger } from "../store/guards.ts";
import { openJournal } from "../store/sqlite.ts";
import { type AnswerService, openAnswerService } from "./answer-service.ts";
import { openSessionStores } from "./session-stores.ts";

/** Asked in order; a function gets the desk, where questions of every process on this store are answered. */
export type Approvers = readonly (Approver | ((answerService: AnswerService) => Approver))[];

export interface Backend {
  readonly config: Config;
  readonly journal: Journal;
  readonly sandbox: Sandbox;
  readonly approvals: Approvals;
  readonly staged: StagedStore;
  readonly answerService: AnswerService;
  /** The person's own environment, taken once: what signing in to another machine depends on. */
  readonly environment: Readonly<Record<string, string>>;
  /** How a person starts this program, and reaches this house. */
  readonly command: OwnCommand;
  close(): void;
}

export function openBackend(config: Config): Backend {
  const { stateDirectory, configDirectory } = config;
  const environment = readEnvironment();
  const command = ownCommand(environment, flagsTo(config, environment));
  const journal = openJournal({ stateDirectory, keyDirectory: configDirectory });
  const ledger = openGuardLedger(stateDirectory);
  const sandbox = openSandbox({ stateDirectory, require: config.sandbox.require, ledger });
  const approvals = openApprovals(stateDirectory);
  const staged = openSessionStores(stateDirectory, journal);
  return {
    config,
    journal,
    sandbox,
    approvals,
    staged,
    answerService: openAnswerService({ approvals, journal, paths: config, command, staged }),
    environment,
    command,
    close() {
      sandbox.close();
      ledger.close();
      approvals.close();
      staged.close();
      journal.close();
    },
  };
}

/** In `deny` mode there is nobody. */
export function openedApprovers(
  config: Config,
  answerService: AnswerService,
  approvers: Approvers,
): readonly Approver[] {
  if (config.approvals.mode === "deny") return [];
  return approvers.map((one) => (typeof one === "function" ? one(answerService) : one));
}
