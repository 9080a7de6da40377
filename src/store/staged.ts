// Keeps staged commits and pulled files in a separate SQLite file.

import { join } from "node:path";
import type { StagedStore } from "../git/staged.ts";
import { nodeHashes } from "../process/node-hashes.ts";
import { mayNeedKeys } from "./keyed-file.ts";
import { openPrivateDirectory, openPrivateFile } from "./private-directory.ts";
import type { AgentOf } from "./session-keys.ts";
import { openDatabase } from "./sqlite.ts";
import { createStagedStore, stagedTables } from "./staged-database.ts";

// A commit of thousands of files has megabytes, which need not be copied from the WAL into the database at once.
const CHECKPOINT_PAGES = 4_000;

/**
 * Reports a wrong directory at once, but reads the file on first use, because most calls never use it. A file of an earlier
 * version is read at once: SECURITY(T43) the record as it was before this run says which agent its sessions belong to.
 */
export function openStagedStore(stateDirectory: string, agentOf: AgentOf = () => null): StagedStore {
  let opened: StagedStore | null = null;
  const path = privatePath(stateDirectory);
  const store = () => (opened ??= openNow(stateDirectory, agentOf));
  if (mayNeedKeys(path)) store();
  return {
    hashes: nodeHashes,
    stage: (...args) => store().stage(...args),
    list: (session) => store().list(session),
    find: (id, session) => store().find(id, session),
    discard: (id, session) => store().discard(id, session),
    content: (hash, session) => store().content(hash, session),
    pulled: (session) => store().pulled(session),
    deleted: (session) => store().deleted(session),
    notePulled: (...args) => store().notePulled(...args),
    noteBegun: (...args) => store().noteBegun(...args),
    begun: (id, session) => store().begun(id, session),
    noteLanded: (...args) => store().noteLanded(...args),
    landed: (id, session) => store().landed(id, session),
    landedTips: (session) => store().landedTips(session),
    noteLooked: (...args) => store().noteLooked(...args),
    looked: (session, target) => store().looked(session, target),
    version: () => store().version(),
    close() {
      opened?.close();
    },
  };
}

function privatePath(stateDirectory: string): string {
  const path = join(stateDirectory, "staged.sqlite");
  openPrivateDirectory(stateDirectory, "state directory");
  openPrivateFile(path);
  return path;
}

function openNow(stateDirectory: string, agentOf: AgentOf): StagedStore {
  const database = openDatabase(privatePath(stateDirectory), stagedTables);
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  return createStagedStore(database, nodeHashes, agentOf);
}
