// What a diff view is given: the files, and how to load what they leave out.

import type { ContextLines, FileHunks, FileView } from "../../src/web/api.ts";
import type { LinePlace } from "../question/comment-dialog.tsx";

export interface DiffViewProps {
  readonly files: readonly FileView[];
  load(n: number): Promise<FileHunks>;
  /** Loads unchanged lines by their new numbers. Absent if the lines that the hunks leave out cannot be loaded. */
  context?(n: number, from: number, to: number): Promise<ContextLines>;
  picture(n: number, side: "before" | "after"): Promise<Blob | null>;
  /** Called once for each file, when every line of it has been on the screen to its end. */
  onSeen(n: number): void;
  /** Called for a line whose number is clicked, or at the top of the screen. */
  onComment?(place: LinePlace): void;
  /** While the view is mounted, holds a function that scrolls to a file and focuses it. */
  readonly jump?: { current: ((n: number) => void) | null };
  /** A file to scroll to as soon as the view is there. */
  readonly chosen?: { current: number | null };
}

export function contextOf(props: DiffViewProps, n: number, from: number, to: number): Promise<ContextLines> {
  return props.context?.(n, from, to) ?? Promise.reject(new Error("there is none"));
}
