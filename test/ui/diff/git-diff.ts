// What `git diff` says, as the files of a page and as the lines that a reader has to find there.

import type { DiffFile, DiffHunk, DiffLine } from "../../../src/action/diff-file.ts";

/** For text without renames and names without quotes. */
export function parseGitDiff(text: string): DiffFile[] {
  return text
    .split(/^diff --git .*\n/m)
    .slice(1)
    .map(parseFile);
}

function parseFile(text: string): DiffFile {
  const path = /^(?:\+\+\+ b|--- a)\/(.*?)\t?$/m.exec(text.replace("--- /dev/null\n", ""))?.[1] ?? "";
  const isNew = text.startsWith("new file");
  const isGone = text.startsWith("deleted file");
  const hunks = parseHunks(text);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    operation: isNew ? "create" : isGone ? "delete" : "update",
    path,
    oldPath: path,
    oldMode: isNew ? null : "100644",
    oldId: isNew ? null : "1".repeat(40),
    newMode: isGone ? null : "100644",
    newId: isGone ? null : "2".repeat(40),
    oldBytes: 1,
    newBytes: 1,
    similarity: null,
    isBinary: false,
    isTooLarge: false,
    encoding: "utf-8",
    hunks,
    added: lines.filter(({ sign }) => sign === "+").length,
    removed: lines.filter(({ sign }) => sign === "-").length,
  };
}

function parseHunks(text: string): DiffHunk[] {
  const hunks: (DiffHunk & { lines: DiffLine[] })[] = [];
  for (const line of text.split("\n")) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(line);
    const last = hunks.at(-1);
    if (head !== null)
      hunks.push({
        oldStart: Number(head[1]),
        oldCount: Number(head[2] ?? 1),
        newStart: Number(head[3]),
        newCount: Number(head[4] ?? 1),
        section: head[5] as string,
        lines: [],
      });
    else if (last !== undefined && line.startsWith("\\"))
      last.lines.push({ ...(last.lines.pop() as DiffLine), isUnterminated: true });
    else if (last !== undefined && /^[ +-]/.test(line))
      last.lines.push({ sign: line[0] as DiffLine["sign"], text: line.slice(1), isUnterminated: false });
  }
  return hunks;
}

/** The hunks of one file as git wrote them, without anything above. */
export function hunkTexts(text: string): string[] {
  return text
    .split(/^diff --git .*\n/m)
    .slice(1)
    .map((file) => file.slice(file.indexOf("\n@@") + 1));
}
