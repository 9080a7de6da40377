// The steps of a landing: plain data, so that a journal can keep them.

/** Identifies one state of a file: inode, size, and the time of its content. */
export interface FileFacts {
  readonly inode: string;
  readonly size: string;
  readonly modified: string;
}

export interface LandingPlace {
  /** The real path of the directory that changes. */
  readonly directory: string;
  /** Where the new files are, under the same relative paths. */
  readonly upper: string;
  /** The directory, relative to `directory`, in which the landing has its own files. "" is `directory` itself. */
  readonly staging: string;
}

interface StepAt {
  /** The index of the place. */
  readonly place: number;
  /** Relative to the place's directory. */
  readonly path: string;
}

export type LandingStep =
  | (StepAt & { readonly op: "delete"; readonly before: FileFacts })
  /** Removes a directory if it is empty. */
  | (StepAt & { readonly op: "remove" })
  | (StepAt & { readonly op: "make"; readonly mode: number })
  /**
   * A file or a link. `before` is null if nothing is there. `isPlain`: the layer's own file can land, and need not be copied. It has no
   * attributes and no other name.
   */
  | (StepAt & {
      readonly op: "put";
      readonly before: FileFacts | null;
      readonly size: number;
      readonly isPlain: boolean;
    });

export interface LandingJournal {
  /** Names the landing's own files. */
  readonly id: string;
  readonly places: readonly LandingPlace[];
  readonly steps: readonly LandingStep[];
}

/** What was not done, because somebody else changed the path at that moment. */
export interface LeftAlone {
  readonly path: string;
  readonly reason: string;
}
