// The bytes that staged commits and pulled files have: many small contents lie in one piece, so that thousands of files
// are a few rows. A piece is there as long as somebody uses one of its contents.
// Invariant: bytes are given out only where they are what their hash says.

import type { DatabaseSync } from "node:sqlite";
import { type ContentBytes, contentHash } from "../git/staged.ts";
import { nodeHashes } from "../process/node-hashes.ts";

export const piecesTables = `
  CREATE TABLE IF NOT EXISTS pieces (id INTEGER PRIMARY KEY AUTOINCREMENT, contents TEXT NOT NULL, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS piece_uses (
    owner TEXT NOT NULL, piece INTEGER NOT NULL, session TEXT NOT NULL, PRIMARY KEY (owner, piece)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS piece_uses_by_piece ON piece_uses (piece);
  CREATE INDEX IF NOT EXISTS piece_uses_by_session ON piece_uses (session, piece);
`;

/** A piece is no longer than this, but for one that is a single content. */
const PIECE_BYTES = 256 * 1024;
const PIECES_IN_MEMORY = 8;
const SESSIONS_IN_MEMORY = 8;

/** What lies in a piece, one behind the other. */
type Contents = readonly (readonly [hash: string, size: number])[];

interface Place {
  readonly piece: number;
  readonly from: number;
  readonly to: number;
}

/** Where each content of a session lies, as of the last look. */
interface Known {
  pieces: Set<number>;
  places: Map<string, Place>;
}

export class StagedPieces {
  readonly #statements;
  readonly #known = new Map<string | null, Known>();
  readonly #contentsOf = new Map<number, Contents>();
  /** The last ones that were read. */
  readonly #bytes = new Map<number, Uint8Array>();

  constructor(database: DatabaseSync) {
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

  /** In a transaction. From then on the owner uses what holds these hashes, and nothing else. */
  use(owner: string, session: string, hashes: Iterable<string>, contents: readonly ContentBytes[]): void {
    const known = this.#look(session);
    const all = new Set(hashes);
    const added = this.#add(contents.filter(({ hash }) => all.has(hash) && !known.places.has(hash)));
    const wanted = new Set<number>();
    for (const hash of all) {
      const piece = added.get(hash) ?? known.places.get(hash)?.piece;
      if (piece !== undefined) wanted.add(piece);
    }
    for (const piece of wanted) this.#statements.use.run(owner, piece, session);
    this.#release(owner, (piece) => !wanted.has(piece));
  }

  /** In a transaction. */
  unuse(owner: string): void {
    this.#release(owner, () => true);
  }

  /** `session` null: wherever it lies. */
  content(hash: string, session: string | null): Uint8Array {
    // Where it was when it was last looked for; else where it is now.
    const bytes =
      this.#read(this.#known.get(session)?.places.get(hash)) ?? this.#read(this.#look(session).places.get(hash));
    // SECURITY(T29): looked at again each time: what is pushed is what was reviewed.
    if (bytes === undefined || contentHash(nodeHashes, bytes) !== hash)
      throw new Error(`The staged content ${hash} is not kept, or was changed.`);
    return bytes;
  }

  /** Whoever begins anew with a commit reads its bytes from the file again. */
  forgetBytes(): void {
    this.#bytes.clear();
  }

  #read(place: Place | undefined): Uint8Array | undefined {
    if (place === undefined) return undefined;
    const bytes = this.#bytes.get(place.piece) ?? this.#readPiece(place.piece);
    return bytes?.subarray(place.from, place.to);
  }

  #readPiece(piece: number): Uint8Array | undefined {
    const bytes = this.#statements.bytes.get(piece)?.["bytes"];
    if (!(bytes instanceof Uint8Array)) return undefined;
    const [oldest] = this.#bytes.keys();
    if (this.#bytes.size === PIECES_IN_MEMORY) this.#bytes.delete(oldest as number);
    if (bytes.length <= PIECE_BYTES) this.#bytes.set(piece, bytes);
    return bytes;
  }

  /** The pieces that are new, by hash. */
  #add(contents: readonly ContentBytes[]): Map<string, number> {
    const added = new Map<string, number>();
    let some: ContentBytes[] = [];
    let size = 0;
    const write = (): void => {
      if (some.length === 0) return;
      const table = some.map(({ hash, bytes }) => [hash, bytes.length]);
      const { lastInsertRowid } = this.#statements.add.run(
        JSON.stringify(table),
        some.length === 1 ? (some[0] as ContentBytes).bytes : Buffer.concat(some.map(({ bytes }) => bytes)),
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

  /** As the file has it now. What lies in a piece never changes, so only new ones are read. */
  #look(session: string | null): Known {
    const rows = session === null ? this.#statements.all.all() : this.#statements.ofSession.all(session);
    const pieces = new Set(rows.map((row) => Number(row["id"])));
    let known = this.#known.get(session);
    const gone = [...(known?.pieces ?? [])].filter((piece) => !pieces.has(piece));
    for (const piece of gone) this.#forget(piece);
    if (known === undefined || gone.length > 0) {
      const [oldest = null] = this.#known.keys();
      if (known === undefined && this.#known.size === SESSIONS_IN_MEMORY) this.#known.delete(oldest);
      known = { pieces: new Set(), places: new Map() };
      this.#known.set(session, known);
    }
    for (const piece of pieces) {
      if (known.pieces.has(piece)) continue;
      let from = 0;
      for (const [hash, size] of this.#contents(piece)) known.places.set(hash, { piece, from, to: (from += size) });
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
