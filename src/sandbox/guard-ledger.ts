// The ledger of placeholders: which of them stand on the host, for which roots, and which live calls still need them.
// Invariant: a path is on the ledger before it is made, and is removed only when no live holder needs it.

/** One call's claim on the placeholders of one root. */
export interface Hold {
  readonly id: number;
  readonly root: string;
  /** Those of the wanted paths that are placeholders: absent until now, or another call's. To be made where they are absent. */
  readonly paths: readonly string[];
}

export type RemovePlaceholders = (paths: readonly string[]) => void;

export interface GuardLedger {
  /** Books those of `wanted` that are nobody's own file. What a person has there is not booked, and never removed. */
  hold(root: string, wanted: readonly string[]): Hold;
  /** Ends a claim; `remove` gets the paths that nobody needs any more. */
  release(hold: Hold, remove: RemovePlaceholders): void;
  /** Ends the claims of processes that are gone. */
  sweep(remove: RemovePlaceholders): void;
  close(): void;
}
