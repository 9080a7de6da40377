// What the days came to, against the goal: no more questions than looks beyond the hosts, none needless, none wrong, none missed.

import type { CountedQuestion, DayCount } from "./play-day.ts";

export interface DayFigures {
  readonly day: string;
  readonly calls: number;
  readonly questions: number;
  readonly hosts: number;
  readonly needed: number;
  readonly needless: number;
  readonly wrong: number;
  readonly missed: number;
  readonly waited_s: number;
  readonly always: number;
  readonly wrong_always: number;
  /** The most questions beyond the hosts that the goal allows. */
  readonly looks: number;
  readonly is_met: boolean;
}

export function figuresOf({ day, calls, questions, missed, wrongAlways }: DayCount): DayFigures {
  const count = (is: (question: CountedQuestion) => boolean) => questions.filter(is).length;
  const hosts = count(({ isAboutHosts }) => isAboutHosts);
  const [needless, wrong] = [count(({ judged }) => judged === "needless"), count(({ judged }) => judged === "wrong")];
  const faults = needless + wrong + missed.length + wrongAlways.length;
  return {
    day: day.title,
    calls,
    questions: questions.length,
    hosts,
    needed: count(({ judged }) => judged === "needed"),
    needless,
    wrong,
    missed: missed.length,
    waited_s: questions.reduce((sum, { waitedS }) => sum + waitedS, 0),
    always: count(({ kept }) => kept.length > 0),
    wrong_always: wrongAlways.length,
    looks: day.looks,
    is_met: faults === 0 && questions.length - hosts <= day.looks,
  };
}

const columns = [
  ["day", "day"],
  ["calls", "calls"],
  ["questions", "questions"],
  ["hosts", "about hosts"],
  ["needed", "needed"],
  ["needless", "needless"],
  ["wrong", "wrong"],
  ["missed", "missed"],
  ["waited_s", "waited, s"],
  ["always", "always"],
  ["wrong_always", "wrong always"],
] as const satisfies readonly (readonly [keyof DayFigures, string])[];

function rowsOf(days: readonly DayFigures[]): string[][] {
  const sum = (key: (typeof columns)[number][0]) => days.reduce((all, day) => all + Number(day[key]), 0);
  const totals = columns.map(([key]) => (key === "day" ? `${days.length} days` : String(sum(key))));
  return [columns.map(([, title]) => title), ...days.map((day) => columns.map(([key]) => String(day[key]))), totals];
}

export function textTable(days: readonly DayFigures[]): string {
  const rows = rowsOf(days);
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
  return lines.join("\n");
}

/** What was not as it should be, day by day. */
export function faultLines({ day, questions, missed, wrongAlways }: DayCount): string[] {
  return [
    ...questions
      .filter(({ judged }) => judged !== "needed")
      .map(({ judged, about }) => `${day.title}: ${judged}: ${about.join("; ")}`),
    ...missed.map((because) => `${day.title}: not asked: ${because}`),
    ...wrongAlways.map((what) => `${day.title}: an always also answers: ${what}`),
  ];
}

const [begin, end] = ["<!-- attention: begin (npm run attention -- --write) -->", "<!-- attention: end -->"];

/** Puts the figures between the marks of the page. */
export function writeFigures(page: string, days: readonly DayFigures[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error("docs/attention.md has lost its marks");
  const [head = [], ...rows] = rowsOf(days).map((row) => `| ${row.join(" | ")} |`);
  const rule = `| --- |${" ---: |".repeat(columns.length - 1)}`;
  return `${page.slice(0, from)}${begin}\n\n${[head, rule, ...rows].join("\n")}\n\n${page.slice(to)}`;
}
