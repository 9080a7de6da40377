// Staged commits, and what was pulled, in a SQLite file of their own: bytes frozen when they were staged.
// Invariant: a staged commit is there whole or not at all, survives a killed process, and never changes; another
// session does not see it.

import { join } from "node:path";
import { contentHash, type PulledFile, type StagedCommit, type StagedStore } from "../git/staged.ts";
import { openPrivateDirectory, openPrivateFile } from "./private-directory.ts";
import { openDatabase } from "./sqlite.ts";
import { inTransaction } from "./transaction.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS contents (hash TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS commits (
    id TEXT PRIMARY KEY, session TEXT NOT NULL, created_at INTEGER NOT NULL, staged TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS commits_by_session ON commits (session, created_at);
  CREATE TABLE IF NOT EXISTS uses (hash TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (hash, owner)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS pulled (
    session TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, file TEXT NOT NULL, PRIMARY KEY (session, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS pulled_by_hash ON pulled (hash);
`;

export function openStagedStore(stateDirectory: string): StagedStore {
  const path = join(stateDirectory, "staged.sqlite");
  openPrivateDirectory(stateDirectory, "state directory");
  openPrivateFile(path);
  const database = openDatabase(path, schema);
  const keep = database.prepare("INSERT OR IGNORE INTO contents VALUES (?, ?)");
  const use = database.prepare("INSERT OR IGNORE INTO uses SELECT value, ?1 FROM json_each(?2)");
  const insert = database.prepare("INSERT INTO commits VALUES (?, ?, ?, ?)");
  const one = database.prepare("SELECT staged FROM commits WHERE id = ? AND session = ?");
  const all = database.prepare("SELECT staged FROM commits WHERE (?1 IS NULL OR session = ?1) ORDER BY created_at, id");
  const bytesOf = database.prepare("SELECT bytes FROM contents WHERE hash = ?");
  const pulledOf = database.prepare("SELECT file FROM pulled WHERE session = ?");
  const hashesPulled = database.prepare("SELECT path, hash FROM pulled WHERE session = ?");
  const setPulled = database.prepare(
    "INSERT OR REPLACE INTO pulled SELECT ?1, value ->> 'path', value ->> 'contentHash', value FROM json_each(?2)",
  );
  const dropPulled = database.prepare("DELETE FROM pulled WHERE session = ? AND path = ?");
  const remove = database.prepare("DELETE FROM commits WHERE id = ? AND session = ? RETURNING staged");
  const unuse = database.prepare("DELETE FROM uses WHERE owner = ?1 AND hash IN (SELECT value FROM json_each(?2))");
  // Bytes that nobody uses any more go.
  const release = database.prepare(`
    DELETE FROM contents WHERE hash IN (SELECT value FROM json_each(?))
      AND NOT EXISTS (SELECT 1 FROM uses WHERE uses.hash = contents.hash)
      AND NOT EXISTS (SELECT 1 FROM pulled WHERE pulled.hash = contents.hash)`);

  const keepAll = (contents: readonly Uint8Array[]) => {
    for (const bytes of contents) keep.run(contentHash(bytes), bytes);
  };

  return {
    stage(commit, contents) {
      inTransaction(database, () => {
        insert.run(commit.id, commit.session, commit.createdAt, JSON.stringify(commit));
        keepAll(contents);
        use.run(commit.id, hashesOf(commit));
      });
    },
    list: (session) => all.all(session).map((row) => JSON.parse(String(row["staged"])) as StagedCommit),
    find(id, session) {
      const row = one.get(id, session);
      return row === undefined ? undefined : (JSON.parse(String(row["staged"])) as StagedCommit);
    },
    discard(id, session) {
      return inTransaction(database, () => {
        const row = remove.get(id, session);
        if (row === undefined) return false;
        const hashes = hashesOf(JSON.parse(String(row["staged"])) as StagedCommit);
        unuse.run(id, hashes);
        release.run(hashes);
        return true;
      });
    },
    content(hash) {
      const bytes = bytesOf.get(hash)?.["bytes"];
      // SECURITY(T29): looked at again each time: what is pushed is what was reviewed.
      if (!(bytes instanceof Uint8Array) || contentHash(bytes) !== hash)
        throw new Error(`The staged content ${hash} is not kept, or was changed.`);
      return bytes;
    },
    pulled(session) {
      const files = pulledOf.all(session).map((row) => JSON.parse(String(row["file"])) as PulledFile);
      return new Map(files.map((file) => [file.path, file]));
    },
    notePulled(session, files, gone, contents) {
      inTransaction(database, () => {
        keepAll(contents);
        const before = new Map(hashesPulled.all(session).map((row) => [row["path"], row["hash"]]));
        setPulled.run(session, JSON.stringify(files));
        for (const path of gone) dropPulled.run(session, path);
        const left = [...files.map(({ path }) => path), ...gone].flatMap((path) => before.get(path) ?? []);
        release.run(JSON.stringify(left));
      });
    },
    close() {
      if (database.isOpen) database.close();
    },
  };
}

/** As JSON: one statement takes them all. */
function hashesOf({ files }: StagedCommit): string {
  const states = files.flatMap(({ after, before }) => [after, before]);
  return JSON.stringify([...new Set(states.flatMap((state) => (state === null ? [] : [state.contentHash])))]);
}
