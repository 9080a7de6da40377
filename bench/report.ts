// The same results as text for a terminal, as docs/performance-log.md, and their goals as a part of docs/performance.md.

import { cpus, release } from "node:os";
import { columns, describeGoal, rowCells, type Table, type TopicReport } from "./topic.ts";

const goalsBegin = "<!-- goals: begin (npm run bench -- --write) -->";
const goalsEnd = "<!-- goals: end -->";

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

/** Puts a topic's results into the log: in the place of its last ones, or at the end. */
export function writeIntoLog(log: string, topic: string, report: TopicReport): string {
  const [begin, end] = [`<!-- ${topic}: begin -->`, `<!-- ${topic}: end -->`];
  const from = log.indexOf(begin);
  const to = log.indexOf(end);
  const section = `${begin}\n\n## ${topic}\n\n${machine()}\n\n${markdownReport(report)}\n\n`;
  return from < 0 || to < from
    ? `${log.trimEnd()}\n\n${section}${end}\n`
    : `${log.slice(0, from)}${section}${log.slice(to)}`;
}

/** Puts every goal that the log names between the marks of the page. */
export function writeGoals(page: string, log: string): string {
  const from = page.indexOf(goalsBegin);
  const to = page.indexOf(goalsEnd);
  if (from < 0 || to < from) throw new Error("docs/performance.md has lost its marks");
  const rows = [...log.matchAll(/^- (met|MISS) +(.*): ([\d.]+ \S+) \(goal: (.*)\)$/gm)].map(
    ([, met, what, measured, goal]) => `| ${what} | ${measured} | ${goal} | ${met === "met" ? "met" : "**missed**"} |`,
  );
  const table = ["| what | measured | goal | |", "| --- | ---: | ---: | --- |", ...rows].join("\n");
  return `${page.slice(0, from)}${goalsBegin}\n\n${table}\n\n${page.slice(to)}`;
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
