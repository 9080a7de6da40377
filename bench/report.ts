// The same results as text for a terminal and as a part of docs/performance.md.

import { cpus, release } from "node:os";
import { columns, describeGoal, rowCells, type Table, type TopicReport } from "./topic.ts";

const begin = "<!-- measured: begin (npm run bench -- --write) -->";
const end = "<!-- measured: end -->";

export function machine(): string {
  const processors = cpus();
  return `${processors.length} × ${processors[0]?.model.trim() ?? "unknown processor"}, Linux ${release()}, node ${process.version}`;
}

export function textReport({ tables, goals, remarks }: TopicReport): string {
  return [
    ...tables.map(textTable),
    ...goals.map((goal) => `  ${describeGoal(goal)}`),
    ...remarks.map((remark) => `  (${remark})`),
    "",
  ].join("\n");
}

function textTable(table: Table): string {
  const cells = [columns, ...table.rows.map((row) => rowCells(table, row))];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
  return [table.title, ...lines.map((line) => `  ${line}`)].join("\n");
}

/** Puts the results between the two marks of the document. */
export function writeIntoDocument(document: string, reports: readonly TopicReport[]): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error("docs/performance.md has lost its marks");
  const measured = [machine(), ...reports.map(markdownReport)].join("\n\n");
  return `${document.slice(0, from)}${begin}\n\n${measured}\n\n${document.slice(to)}`;
}

function markdownReport({ tables, goals, remarks }: TopicReport): string {
  const listed = [...goals.map(describeGoal), ...remarks].map((line) => `- ${line}`).join("\n");
  return [...tables.map(markdownTable), ...(listed === "" ? [] : [listed])].join("\n\n");
}

function markdownTable(table: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rows = [columns.map((name) => name), columns.map((_, column) => (column === 0 ? "---" : "---:"))];
  return [`**${table.title}**`, "", ...[...rows, ...table.rows.map((row) => rowCells(table, row))].map(line)].join(
    "\n",
  );
}
