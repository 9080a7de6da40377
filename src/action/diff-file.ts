// What a change does to one file, as a value that a person's screen can show.

/** How the text of the hunks becomes the file's bytes. `latin1`: each character stands for one byte. */
export type TextEncoding = "utf-8" | "latin1" | "utf-16le" | "utf-16be";

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
  /** Not text, as git sees it: the text of the diff only names it. Its hunks, if it has any, are for a person. */
  readonly isBinary: boolean;
  /** Not compared, because it is long: no hunks, and the text of the diff only names it. */
  readonly isTooLarge: boolean;
  /** Its sides begin as pictures do. No hunks. */
  readonly isPicture?: boolean;
  /** Where there are no hunks, but content that would land: it is shown in so many parts, each of so many lines. */
  readonly parts?: readonly number[];
  /** How the text of the hunks becomes the file's bytes. */
  readonly encoding: TextEncoding;
  /** Of the removed lines, where that is another one: then no line is the same, whatever its letters. */
  readonly oldEncoding?: TextEncoding;
  /** What a person should not miss about it: a yes has to wait until all of it was looked at. */
  readonly warned?: readonly string[];
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
}
