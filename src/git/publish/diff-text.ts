// Writes a diff as git does, so that `git apply` accepts it. The diff is bytes, because a file may hold any bytes. Names are quoted
// only where they must be.

import type { DiffFile, DiffHunk, DiffLine } from "../../action/diff-file.ts";
import { encodeText } from "./text-content.ts";

/** The diff of all files, each in its own encoding. */
export function renderDiff(files: readonly DiffFile[]): Uint8Array<ArrayBuffer> {
  const parts = files.flatMap((file) => [
    encodeText(diffHeader(file), "utf-8"),
    ...(hasLines(file) ? [encodeText(file.hunks.map(hunkText).join(""), lineEncoding(file))] : []),
  ]);
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** For callers that need a string: a file that is not UTF-8 is written as a binary file, with a note below that counts its lines. */
export function renderDiffText(files: readonly DiffFile[]): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return files
    .map((file) => {
      if (!hasLines(file) || file.encoding === "utf-8") return decoder.decode(renderDiff([file]));
      const note = `# Not UTF-8 text, so its lines cannot stand here: ${file.added} added, ${file.removed} removed.`;
      return `${diffHeader({ ...file, isBinary: true, hunks: [] })}${note}\n`;
    })
    .join("");
}

/** `src/a.ts | +3 -1` */
export function statLine({ path, oldPath, operation, isBinary, added, removed, oldBytes, newBytes }: DiffFile): string {
  const name = quotePath(path);
  const spelled = operation === "rename" ? `${quotePath(oldPath)} => ${name}` : name;
  return `${spelled} | ${isBinary ? `binary, ${oldBytes} -> ${newBytes} bytes` : `+${added} -${removed}`}`;
}

/** A line for each of the first files, and the sums of all. Empty if nothing differs. */
export function renderDiffStat(files: readonly DiffFile[], most: number): string {
  if (files.length === 0) return "";
  const text = files.filter(({ isBinary }) => !isBinary);
  const sum = (count: (file: DiffFile) => number) => text.reduce((total, file) => total + count(file), 0);
  const total = `${files.length} ${files.length === 1 ? "file" : "files"} changed, +${sum(({ added }) => added)} -${sum(({ removed }) => removed)}`;
  return [...files.slice(0, most).map(statLine), total].map((line) => `${line}\n`).join("");
}

/** The gate also shows a person the lines of content that is not text, but git accepts no such lines. */
function hasLines({ isBinary, isTooLarge, hunks }: DiffFile): boolean {
  return !isBinary && !isTooLarge && hunks.length > 0;
}

function lineEncoding({ encoding }: DiffFile): "utf-8" | "latin1" {
  return encoding === "utf-8" ? encoding : "latin1"; // UTF-16 counts as not text, so it does not get here
}

/** Everything above the hunks, including line feeds. */
export function diffHeader(file: DiffFile): string {
  const oldName = quotePath(`a/${file.oldPath}`);
  const newName = quotePath(`b/${file.path}`);
  const oldLabel = file.oldMode === null ? "/dev/null" : oldName;
  const newLabel = file.newMode === null ? "/dev/null" : newName;
  const lines = [`diff --git ${oldName} ${newName}`, ...modeLines(file), ...renameLines(file)];
  if (file.oldId !== file.newId) {
    lines.push(indexLine(file));
    if (file.isBinary || file.isTooLarge) lines.push(`Binary files ${oldLabel} and ${newLabel} differ`);
    else if (file.hunks.length > 0)
      lines.push(`--- ${oldLabel}${endMark(oldLabel)}`, `+++ ${newLabel}${endMark(newLabel)}`);
  }
  return `${lines.join("\n")}\n`;
}

function modeLines({ oldMode, newMode }: DiffFile): string[] {
  if (oldMode === null) return [`new file mode ${newMode as string}`];
  if (newMode === null) return [`deleted file mode ${oldMode}`];
  return oldMode === newMode ? [] : [`old mode ${oldMode}`, `new mode ${newMode}`];
}

function renameLines({ similarity, oldPath, path }: DiffFile): string[] {
  if (similarity === null) return [];
  return [`similarity index ${similarity}%`, `rename from ${quotePath(oldPath)}`, `rename to ${quotePath(path)}`];
}

function indexLine({ oldId, newId, oldMode, newMode }: DiffFile): string {
  const none = "0".repeat((oldId ?? newId ?? "").length);
  return `index ${oldId ?? none}..${newId ?? none}${oldMode === newMode ? ` ${oldMode as string}` : ""}`;
}

// A tab after a name that contains a blank marks the end of the name, because other programs write a date there.
function endMark(label: string): string {
  return label.includes(" ") ? "\t" : "";
}

/** One hunk with its header, in the file's own encoding. */
function hunkText(hunk: DiffHunk): string {
  let text = `${hunkHeader(hunk)}\n`;
  for (const line of hunk.lines) text += lineText(line);
  return text;
}

/** `@@ -1,3 +1,4 @@ section`, without a line feed. */
function hunkHeader({ oldStart, oldCount, newStart, newCount, section }: DiffHunk): string {
  const range = (start: number, count: number): string => (count === 1 ? `${start}` : `${start},${count}`);
  const ranges = `@@ -${range(oldStart, oldCount)} +${range(newStart, newCount)} @@`;
  return section === "" ? ranges : `${ranges} ${section}`;
}

function lineText({ sign, text, isUnterminated }: DiffLine): string {
  return isUnterminated ? `${sign}${text}\n\\ No newline at end of file\n` : `${sign}${text}\n`;
}

const letters: Readonly<Record<string, string>> = {
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  '"': '"',
  "\\": "\\",
};

/** Like git with core.quotePath off: quotes a path only if it contains a control character, a quote or a backslash. */
function quotePath(path: string): string {
  const quoted = path.replace(
    // oxlint-disable-next-line no-control-regex
    /[\x00-\x1f\x7f"\\]/g,
    (character) => `\\${letters[character] ?? character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return quoted === path ? path : `"${quoted}"`;
}
