// Stores the bytes of staged commits and pulled files. One piece holds many small contents, so that thousands of files are a
// few rows. A piece is kept as long as one of its contents is used.
// Invariant: bytes are returned only if they match their hash.

import type { Database } from "./database.ts";
import { type ContentBytes, contentHash } from "../git/staged.ts";
import { concatBytes } from "../shared/bytes.ts";
import type { Hashes } from "../shared/hash.ts";

export const piecesTables = `
  CREATE TABLE IF NOT EXISTS pieces (id INTEGER PRIMARY KEY AUTOINCREMENT, contents TEXT NOT NULL, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS piece_uses (
    owner TEXT NOT NULL, piece INTEGER NOT NULL, session TEXT NOT NULL, PRIMARY KEY (owner, piece)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS piece_uses_by_piece ON piece_uses (piece);
  CREATE INDEX IF NOT EXISTS piece_uses_by_session ON piece_uses (session, piece);
`;

/** The most bytes of a piece, unless it is a single content. */
const PIECE_BYTES = 256 * 1024;
const PIECES_IN_MEMORY = 8;
const SESSIONS_IN_MEMORY = 8;

/** The contents of a piece, one after another. */
type Contents = readonly (readonly [hash: string, size: number])[];

interface ByteRange {
  readonly piece: number;
  readonly from: number;
  readonly to: number;
}

/** The position of each content of a session, as last read. */
interface Known {
  pieces: Set<number>;
  ranges: Map<string, ByteRange>;
}

export class StagedPieces {
  readonly #statements;
  readonly #known = new Map<string | null, Known>();
  readonly #contentsOf = new Map<number, Contents>();
  /** The pieces that were read last. */
  readonly #bytes = new Map<number, Uint8Array>();

  readonly #hashes: Hashes;

  constructor(database: Database, hashes: Hashes) {
    this.#hashes = hashes;
    this.#statements = {
      all: database.prepare("SELECT id FROM pieces"),
      ofSession: database.prepare("SELECT DISTINCT piece AS id FROM piece_uses WHERE session = ?"),
      contents: database.prepare("SELECT contents FROM pieces WHERE id = ?"),
      bytes: database.prepare("SELECT bytes FROM pieces WHERE id = ?"),
      add: database.prepare("INSERT INTO pieces (contents, bytes) VALUES (?, ?)"),
      use: database.prepare("INSERT OR IGNORE INTO piece_uses (owner, piece, session) VALUES (?, ?, ?)"),
      used: database.prepare("SELECT piece FROM piece_uses WHERE owner = ?"),
      unuse: database.prepare("DELETE FROM piece_uses WHERE owner = ? AND piece = ?"),
      drop: database.prepare(
        "DELETE FROM pieces WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM piece_uses WHERE piece = ?1)",
      ),
    };
  }

  /** Call it in a transaction. From then on the owner uses the pieces that hold these hashes, and no others. */
  use(owner: string, session: string, hashes: Iterable<string>, contents: readonly ContentBytes[]): void {
    const known = this.#refresh(session);
    const all = new Set(hashes);
    const added = this.#add(contents.filter(({ hash }) => all.has(hash) && !known.ranges.has(hash)));
    const wanted = new Set<number>();
    for (const hash of all) {
      const piece = added.get(hash) ?? known.ranges.get(hash)?.piece;
      if (piece !== undefined) wanted.add(piece);
    }
    for (const piece of wanted) this.#statements.use.run(owner, piece, session);
    this.#release(owner, (piece) => !wanted.has(piece));
  }

  /** Call it in a transaction. */
  unuse(owner: string): void {
    this.#release(owner, () => true);
  }

  /** If `session` is null, it searches all sessions. */
  content(hash: string, session: string | null): Uint8Array {
    // Tries the last known position first, then reads the current one.
    const bytes =
      this.#read(this.#known.get(session)?.ranges.get(hash)) ?? this.#read(this.#refresh(session).ranges.get(hash));
    // SECURITY(T29): the hash is checked each time, so that what is pushed is what was reviewed.
    if (bytes === undefined || contentHash(this.#hashes, bytes) !== hash)
      throw new Error(`The staged content ${hash} is not kept, or was changed.`);
    return bytes;
  }

  /** A caller that starts again with a commit must read its bytes from the file again. */
  forgetBytes(): void {
    this.#bytes.clear();
  }

  #read(range: ByteRange | undefined): Uint8Array | undefined {
    if (range === undefined) return undefined;
    const bytes = this.#bytes.get(range.piece) ?? this.#readPiece(range.piece);
    return bytes?.subarray(range.from, range.to);
  }

  #readPiece(piece: number): Uint8Array | undefined {
    const bytes = this.#statements.bytes.get(piece)?.["bytes"];
    if (!(bytes instanceof Uint8Array)) return undefined;
    const [oldest] = this.#bytes.keys();
    if (this.#bytes.size === PIECES_IN_MEMORY) this.#bytes.delete(oldest as number);
    if (bytes.length <= PIECE_BYTES) this.#bytes.set(piece, bytes);
    return bytes;
  }

  /** Returns the new pieces, by hash. */
  #add(contents: readonly ContentBytes[]): Map<string, number> {
    const added = new Map<string, number>();
    let some: ContentBytes[] = [];
    let size = 0;
    const write = (): void => {
      if (some.length === 0) return;
      const table = some.map(({ hash, bytes }) => [hash, bytes.length]);
      const { lastInsertRowid } = this.#statements.add.run(
        JSON.stringify(table),
        some.length === 1 ? (some[0] as ContentBytes).bytes : concatBytes(some.map(({ bytes }) => bytes)),
      );
      for (const { hash } of some) added.set(hash, Number(lastInsertRowid));
      [some, size] = [[], 0];
    };
    const seen = new Set<string>();
    for (const content of contents) {
      if (seen.has(content.hash)) continue;
      seen.add(content.hash);
      if (size + content.bytes.length > PIECE_BYTES) write();
      some.push(content);
      size += content.bytes.length;
    }
    write();
    return added;
  }

  #release(owner: string, isLeft: (piece: number) => boolean): void {
    for (const row of this.#statements.used.all(owner)) {
      const piece = Number(row["piece"]);
      if (!isLeft(piece)) continue;
      this.#statements.unuse.run(owner, piece);
      this.#statements.drop.run(piece);
    }
  }

  /** Reads the current state of the database. The contents of a piece never change, so only new pieces are read. */
  #refresh(session: string | null): Known {
    const rows = session === null ? this.#statements.all.all() : this.#statements.ofSession.all(session);
    const pieces = new Set(rows.map((row) => Number(row["id"])));
    let known = this.#known.get(session);
    const gone = [...(known?.pieces ?? [])].filter((piece) => !pieces.has(piece));
    for (const piece of gone) this.#forget(piece);
    if (known === undefined || gone.length > 0) {
      const [oldest = null] = this.#known.keys();
      if (known === undefined && this.#known.size === SESSIONS_IN_MEMORY) this.#known.delete(oldest);
      known = { pieces: new Set(), ranges: new Map() };
      this.#known.set(session, known);
    }
    for (const piece of pieces) {
      if (known.pieces.has(piece)) continue;
      let from = 0;
      for (const [hash, size] of this.#contents(piece)) known.ranges.set(hash, { piece, from, to: (from += size) });
      known.pieces.add(piece);
    }
    return known;
  }

  #contents(piece: number): Contents {
    let contents = this.#contentsOf.get(piece);
    if (contents === undefined) {
      contents = JSON.parse(String(this.#statements.contents.get(piece)?.["contents"] ?? "[]")) as Contents;
      this.#contentsOf.set(piece, contents);
    }
    return contents;
  }

  #forget(piece: number): void {
    this.#contentsOf.delete(piece);
    this.#bytes.delete(piece);
  }
}
