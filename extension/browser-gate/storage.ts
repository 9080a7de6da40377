// What the browser says about the storage of this extension, and what the gate found wrong with what was stored.
// The browser may clear all of it away at once: the record, the settings and the draft. A note outside of it says that there was something.

import type { OpenRequest, StorageDamage, StorageState } from "../../src/web/api-work.ts";
import type { Kept } from "./kept.ts";
import type { Reserve } from "./reserve.ts";
import type { StoredNotes } from "./service-port.ts";

const KNOWN_MS = 3_000;

export class Storage {
  readonly #kept: Kept;
  readonly #notes: StoredNotes;
  readonly #room: Reserve;
  #known: { readonly at: number; readonly state: StorageState } | null = null;

  constructor(kept: Kept, notes: StoredNotes, room: Reserve) {
    this.#kept = kept;
    this.#notes = notes;
    this.#room = room;
  }

  /** Before anything else is read or stored. */
  async begin(): Promise<void> {
    await this.#room.take();
    if (this.#kept.read("hasBegun")) return;
    const note = await this.#notes.read();
    if (note !== null) this.noteDamage({ kind: "evicted", draft: note.draft });
    this.#kept.keep("hasBegun", true);
    await this.#notes.keep({ draft: null });
  }

  async noteDraft(draft: OpenRequest | null): Promise<void> {
    await this.#notes.keep({ draft });
  }

  /** The person sees it until they have read it, also after another start. */
  noteDamage(damage: StorageDamage): void {
    const hasRead = JSON.stringify(this.#kept.read("readDamage")) === JSON.stringify(damage);
    if (!hasRead) this.#kept.keep("damage", damage);
    this.forget();
  }

  noteDamageRead(): void {
    this.#kept.keep("readDamage", this.#kept.read("damage"));
    this.#kept.keep("damage", null);
    this.forget();
  }

  /** The browser is asked anew. */
  forget(): void {
    this.#known = null;
  }

  /** The browser counts it anew each time, which takes a while. */
  async state(): Promise<StorageState> {
    const now = performance.now();
    if (this.#known !== null && now - this.#known.at < KNOWN_MS) return this.#known.state;
    await this.#room.takeLater();
    const { usage = 0, quota = null } = await navigator.storage.estimate();
    const isPersisted = await navigator.storage.persisted();
    const damage = this.#kept.read("damage");
    const state = { usedBytes: usage, quotaBytes: quota, isPersisted, isFull: this.#room.isShort(), damage };
    this.#known = { at: now, state };
    return state;
  }
}
