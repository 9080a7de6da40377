// What a commit changes in one file, as a value that the terminal and the page can show.

/** The encoding from the text of the hunks to the file's bytes. `latin1`: each character is one byte. */
export type TextEncoding = "utf-8" | "latin1" | "utf-16le" | "utf-16be";

export interface DiffLine {
  readonly sign: " " | "-" | "+";
  /** Without the line feed. */
  readonly text: string;
  readonly isUnterminated: boolean;
}

export interface DiffHunk {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  /** The heading that git shows for a hunk: usually the function that it is in. */
  readonly section: string;
  readonly lines: readonly DiffLine[];
}

/** The commit of a series that changes a file. Counted from 1. */
export interface DiffCommit {
  readonly number: number;
  readonly of: number;
  readonly id: string;
  /** The first line of its message. */
  readonly subject: string;
}

/** All that is known of a changed file besides its lines. */
export interface DiffFileFacts {
  /** Absent if one commit lands. A file that several commits change is there several times. */
  readonly commit?: DiffCommit;
  /** Whether the last push to this target had the same change of it, when a person answered. Absent if there was none. */
  readonly since?: "same" | "changed";
  readonly operation: "create" | "update" | "delete" | "rename";
  readonly path: string;
  /** Equal to `path` unless the file was renamed. */
  readonly oldPath: string;
  /** Null if the file is created. */
  readonly oldMode: string | null;
  readonly oldId: string | null;
  /** Null if the file is deleted. */
  readonly newMode: string | null;
  readonly newId: string | null;
  readonly oldBytes: number;
  readonly newBytes: number;
  /** The similarity in percent for a rename; otherwise null. */
  readonly similarity: number | null;
  /** Git treats it as binary, so the unified diff only names it. Its hunks, if any, are for a reviewer's screen. */
  readonly isBinary: boolean;
  /** Too long to compare: it has no hunks, and the unified diff only names it. */
  readonly isTooLarge: boolean;
  /** How the text of the hunks becomes the file's bytes. */
  readonly encoding: TextEncoding;
  /** The encoding of the removed lines, if it differs. Then no line counts as unchanged, even with equal characters. */
  readonly oldEncoding?: TextEncoding;
  /** Warnings about this file. A yes has to wait until the reviewer has seen all of it. */
  readonly warned?: readonly string[];
  readonly added: number;
  readonly removed: number;
}

export interface DiffFile extends DiffFileFacts {
  /** Both sides begin with the first bytes of a picture format. No hunks. */
  readonly isPicture?: boolean;
  /** For content that lands without hunks: the number of parts in which it is shown, and the lines of each part. */
  readonly parts?: readonly number[];
  readonly hunks: readonly DiffHunk[];
}
