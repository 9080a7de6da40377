// Staged commits and pulled files over a database. Their bytes are frozen when they are staged.
// Invariant: a staged commit is stored completely or not at all, survives a killed process, and never changes. No other
// session sees it.

import {
  type ContentBytes,
  filesOfSteps,
  type PulledFile,
  sessionOf,
  type StagedCommit,
  type StagedStore,
} from "../git/staged.ts";
import type { Hashes } from "../shared/hash.ts";
import { sessionKey } from "../shared/session-id.ts";
import type { Database, Statement } from "./database.ts";
import { LookedPushes, lookedTable } from "./looked-pushes.ts";
import { type NotedFiles, PulledLayers, pulledTable } from "./pulled-layers.ts";
import { type AgentOf, keySessions, type OwnedRows } from "./session-keys.ts";
import { LandedCommits, landedTable } from "./staged-landed.ts";
import { piecesTables, StagedPieces } from "./staged-pieces.ts";
import { inTransaction } from "./transaction.ts";

export const stagedTables = `
  CREATE TABLE IF NOT EXISTS commits (
    id TEXT PRIMARY KEY, session TEXT NOT NULL, created_at INTEGER NOT NULL, staged TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS commits_by_session ON commits (session, created_at);
  ${piecesTables}
  ${pulledTable}
  ${landedTable}
  ${lookedTable}
`;

const COMMITS_IN_MEMORY = 4;

/** The columns that hold the key of a session. */
const keyColumns = ["commits", "pulled_layers", "landed", "begun_landings", "piece_uses"].map(
  (table) => `${table}.session`,
);

/** For the session of that key. */
type Note = (session: string, noted: NotedFiles, contents: readonly ContentBytes[]) => void;

/** `stagedTables` must be there. */
export function createStagedStore(database: Database, hashes: Hashes, agentOf: AgentOf = () => null): StagedStore {
  const insert = database.prepare("INSERT INTO commits VALUES (?, ?, ?, ?)");
  const isThere = database.prepare("SELECT 1 FROM commits WHERE id = ? AND session = ?");
  const one = database.prepare("SELECT staged FROM commits WHERE id = ? AND session = ?");
  const all = database.prepare("SELECT staged FROM commits WHERE (?1 IS NULL OR session = ?1) ORDER BY created_at, id");
  const remove = database.prepare("DELETE FROM commits WHERE id = ? AND session = ? RETURNING id");
  const pieces = new StagedPieces(database, hashes);
  const layers = new PulledLayers(database);
  const landings = new LandedCommits(database);
  const looked = new LookedPushes(database);
  const dataVersion = database.prepare("PRAGMA data_version");
  // SQLite's data_version does not count the changes of this connection.
  let own = 0;
  const changing = <T>(work: () => T): T => {
    own += 1;
    return inTransaction(database, work);
  };
  /** The last commits by id. A staged commit never changes. */
  const recent = new Map<string, StagedCommit>();

  const remember = (commit: StagedCommit): StagedCommit => {
    const [oldest] = recent.keys();
    if (recent.size === COMMITS_IN_MEMORY) recent.delete(oldest as string);
    recent.set(commit.id, commit);
    return commit;
  };

  const discardNow = (id: string, session: string): boolean => {
    if (remove.get(id, session) === undefined) return false;
    pieces.unuse(commitOwner(id));
    landings.end(id, session);
    return true;
  };

  const note: Note = (session, noted, contents) => {
    const now = layers.add(session, noted);
    pieces.use(pulledOwner(session), session, hashesOfPulled(now), contents);
  };

  if (isFirstVersion(database)) changing(() => carryOver(database, pieces, note));
  keySessions(database, keyColumns, agentOf, {
    owned: () => ownedByCommit(database),
    after: () =>
      database.exec(
        `UPDATE piece_uses SET owner = '${pulledOwner("")}' || session WHERE owner LIKE '${pulledOwner("%")}'`,
      ),
  });
  return {
    hashes,
    stage(commit, contents) {
      const session = sessionKey(sessionOf(commit));
      changing(() => {
        insert.run(commit.id, session, commit.createdAt, JSON.stringify(commit));
        pieces.use(commitOwner(commit.id), session, hashesOf(commit), contents);
      });
      remember(commit);
    },
    list: (session) =>
      all
        .all(session === null ? null : sessionKey(session))
        .map((row) => JSON.parse(String(row["staged"])) as StagedCommit),
    find(id, session) {
      pieces.forgetBytes();
      const key = sessionKey(session);
      const known = recent.get(id);
      if (known !== undefined && sessionKey(sessionOf(known)) === key)
        return isThere.get(id, key) === undefined ? undefined : known;
      const text = textOf(one, id, key);
      return text === undefined ? undefined : remember(JSON.parse(text) as StagedCommit);
    },
    discard: (id, session) => changing(() => discardNow(id, sessionKey(session))),
    content: (hash, session) => pieces.content(hash, session === undefined ? null : sessionKey(session)),
    pulled: (session) => inTransaction(database, () => layers.files(sessionKey(session)), "read"),
    deleted: (session) => inTransaction(database, () => layers.deleted(sessionKey(session)), "read"),
    notePulled: (session, files, gone, contents) =>
      changing(() => note(sessionKey(session), { files, gone }, contents)),
    noteBegun: (id, session, begun) => {
      const key = sessionKey(session);
      changing(() => (begun === null ? landings.end(id, key) : landings.begin(id, key, begun)));
    },
    begun: (id, session) => landings.begun(id, sessionKey(session)),
    noteLanded: (id, session, landed, files, deleted) => {
      const key = sessionKey(session);
      changing(() => {
        note(key, { files, deleted }, []);
        discardNow(id, key);
        landings.add(id, key, landed);
      });
    },
    landed: (id, session) => landings.find(id, sessionKey(session)),
    landedTips: (session) => landings.tips(sessionKey(session)),
    noteLooked: (session, target, files) => changing(() => looked.add(sessionKey(session), target, files)),
    looked: (session, target) => looked.find(sessionKey(session), target),
    version: () => `${String(dataVersion.get()?.["data_version"])} ${own}`,
    close() {
      if (database.isOpen) database.close();
    },
  };
}

/** A commit names its agent, so its content and its begun landing belong to that agent, too. */
function ownedByCommit(database: Database): OwnedRows[] {
  return database
    .prepare("SELECT id, session, staged FROM commits")
    .all()
    .flatMap((row) => {
      const [id, name] = [String(row["id"]), String(row["session"])];
      const { agent } = JSON.parse(String(row["staged"])) as Partial<StagedCommit>;
      if (typeof agent !== "string" || agent === "") return [];
      const rows = [
        { table: "commits", column: "id", value: id },
        { table: "begun_landings", column: "id", value: id },
        { table: "piece_uses", column: "owner", value: commitOwner(id) },
      ];
      return [{ agent, name, rows }];
    });
}

/** In the first version each content had its own row. */
function isFirstVersion(database: Database): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'contents'").get() !== undefined;
}

/** Call it in a transaction: two processes may start this at once, and the second finds it done. */
function carryOver(database: Database, pieces: StagedPieces, note: Note): void {
  if (!isFirstVersion(database)) return;
  const bytesOf = database.prepare("SELECT bytes FROM contents WHERE hash = ?");
  const contentsOf = (hashes: Iterable<string>): ContentBytes[] =>
    [...new Set(hashes)].flatMap((hash) => {
      const bytes = bytesOf.get(hash)?.["bytes"];
      return bytes instanceof Uint8Array ? [{ hash, bytes }] : [];
    });
  for (const row of database.prepare("SELECT staged FROM commits").all()) {
    const commit = JSON.parse(String(row["staged"])) as StagedCommit;
    pieces.use(commitOwner(commit.id), commit.session, hashesOf(commit), contentsOf(hashesOf(commit)));
  }
  const pulled = new Map<string, PulledFile[]>();
  for (const row of database.prepare("SELECT session, file FROM pulled").all()) {
    const [session, file] = [String(row["session"]), JSON.parse(String(row["file"])) as PulledFile];
    const files = pulled.get(session);
    if (files === undefined) pulled.set(session, [file]);
    else files.push(file);
  }
  for (const [session, files] of pulled)
    note(session, { files }, contentsOf(files.map(({ contentHash }) => contentHash)));
  database.exec("DROP TABLE contents; DROP TABLE uses; DROP TABLE pulled");
}

function textOf(statement: Statement, id: string, session: string): string | undefined {
  const row = statement.get(id, session);
  return row === undefined ? undefined : String(row["staged"]);
}

const commitOwner = (id: string) => `commit ${id}`;
const pulledOwner = (session: string) => `pulled ${session}`;

function* hashesOf(commit: StagedCommit): Generator<string> {
  for (const { after, before } of [...commit.files, ...filesOfSteps(commit)]) {
    if (after !== null) yield after.contentHash;
    if (before !== null) yield before.contentHash;
  }
}

function* hashesOfPulled(files: ReadonlyMap<string, PulledFile>): Generator<string> {
  for (const { contentHash } of files.values()) yield contentHash;
}
