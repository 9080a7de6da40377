// What a change does to one file, as a value that a person's screen can show.

/** How the text of the hunks becomes the file's bytes. */
export type TextEncoding = "utf-8" | "latin1";

export interface DiffLine {
  readonly sign: " " | "-" | "+";
  /** Without its line feed. */
  readonly text: string;
  readonly isUnterminated: boolean;
}

export interface DiffHunk {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  /** The line above it that tells where it is, as git shows it. */
  readonly section: string;
  readonly lines: readonly DiffLine[];
}

export interface DiffFile {
  readonly operation: "create" | "update" | "delete" | "rename";
  readonly path: string;
  /** The same as `path` but for a rename. */
  readonly oldPath: string;
  /** Null for what is created. */
  readonly oldMode: string | null;
  readonly oldId: string | null;
  /** Null for what is deleted. */
  readonly newMode: string | null;
  readonly newId: string | null;
  readonly oldBytes: number;
  readonly newBytes: number;
  /** In percent, for a rename; else null. */
  readonly similarity: number | null;
  /** Not text: no hunks, and the text of the diff only names it. */
  readonly isBinary: boolean;
  /** Text, but more than anybody reads: no hunks, and the text of the diff only names it. */
  readonly isTooLarge: boolean;
  /** How the text of the hunks becomes the file's bytes. */
  readonly encoding: TextEncoding;
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
}
