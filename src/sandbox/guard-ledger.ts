// The ledger of placeholders: which placeholders exist on the host, for which roots, and which running calls still need them.
// Invariant: a path is on the ledger before the placeholder is made. The placeholder is removed only if no running call needs it.

/** One call's claim on the placeholders of one root. */
export interface Hold {
  readonly id: number;
  readonly root: string;
  /** The wanted paths that are placeholders: absent until now, or made for another call. The caller makes the absent ones. */
  readonly paths: readonly string[];
}

export type RemovePlaceholders = (paths: readonly string[]) => void;

export interface GuardLedger {
  /** Enters the paths of `wanted` at which no file of a person exists. A person's file is not entered and never removed. */
  hold(root: string, wanted: readonly string[]): Hold;
  /** Ends a claim. `remove` gets the paths that no call needs any more. */
  release(hold: Hold, remove: RemovePlaceholders): void;
  /** Ends the claims of processes that have ended. */
  sweep(remove: RemovePlaceholders): void;
  close(): void;
}
