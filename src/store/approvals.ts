// Keeps questions, their answers, and answers for a session in a separate SQLite file, so that waiting for a person never
// blocks the record.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { nodeHashes } from "../process/node-hashes.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import { type OwnCommand, bareOwnCommand } from "../shared/own-command.ts";
import { type Approvals, approvalsTables, createApprovals } from "./approvals-database.ts";
import { machineMembers } from "./holder.ts";
import type { Holder } from "./lease.ts";
import { openPrivateDirectory, openPrivateFile } from "./private-directory.ts";
import { openDatabase } from "./sqlite.ts";
import { FileWake } from "./wake.ts";

const fileName = "approvals.sqlite";

export interface ApprovalsOptions {
  readonly clock?: Clock;
  /** The identity of this process. */
  readonly process?: Holder;
  /** The command with which a person reaches this store. */
  readonly command?: OwnCommand;
}

export function hasApprovals(stateDirectory: string): boolean {
  return existsSync(join(stateDirectory, fileName));
}

export function openApprovals(stateDirectory: string, options: ApprovalsOptions = {}): Approvals {
  const { clock = systemClock, command = bareOwnCommand } = options;
  const path = join(stateDirectory, fileName);
  openPrivateDirectory(stateDirectory, "state directory");
  openPrivateFile(path);
  const host = machineMembers(options.process);
  const database = openDatabase(path, approvalsTables);
  return createApprovals(database, { clock, hashes: nodeHashes, command, host, wake: new FileWake(path) });
}
