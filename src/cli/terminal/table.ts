// Lays out columns of plain text. Cells must be safe to display; colour is added after the widths are known.

import type { Screen, Style } from "./terminal.ts";

export interface Cell {
  readonly text: string;
  readonly styles?: readonly Style[];
}

export type Row = readonly (Cell | string)[];

/** Two spaces separate columns. If the last column is too wide for the line, it is cut with a sign or wrapped below. */
export function tableLines(
  rows: readonly Row[],
  screen: Screen,
  indent = "",
  tooLong: "cut" | "wrap" = "cut",
): string[] {
  const cells = rows.map((row) => row.map((cell): Cell => (typeof cell === "string" ? { text: cell } : cell)));
  const columns = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...cells.filter((row) => row.length > column + 1).map((row) => widthOf(row[column]?.text ?? ""))),
  );
  return cells.flatMap((row) => {
    let line = indent;
    let used = indent.length;
    for (const [column, { text, styles = [] }] of row.slice(0, -1).entries()) {
      const width = (widths[column] ?? 0) + 2;
      line += screen.paint(text, ...styles) + " ".repeat(width - widthOf(text));
      used += width;
    }
    const { text, styles = [] } = row.at(-1) ?? { text: "" };
    const left = Math.max(20, screen.width - used);
    const [first = "", ...rest] = tooLong === "cut" ? [cutTo(text, left, screen)] : wrapText(text, left);
    const below = rest.map((part) => " ".repeat(used) + screen.paint(part, ...styles));
    return [(line + screen.paint(first, ...styles)).trimEnd(), ...below];
  });
}

function cutTo(text: string, width: number, screen: Screen): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const sign = screen.isUnicode ? "…" : "...";
  return characters.slice(0, width - sign.length).join("") + sign;
}

/** Wraps a paragraph to lines of at most `width`, without splitting words. */
export function wrapText(text: string, width: number, indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((part) => part !== "")) {
    if (line !== "" && indent.length + widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(indent + line);
      line = "";
    }
    line += (line === "" ? "" : " ") + word;
  }
  return line === "" ? lines : [...lines, indent + line];
}

function widthOf(text: string): number {
  return [...text].length;
}
