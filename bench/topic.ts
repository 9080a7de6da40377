// What each part of the bench answers with: tables of times, goals with what was measured, remarks.

import { ratioOf, type Summary } from "./measure.ts";

export interface Table {
  readonly title: string;
  /** The row that counts as 1. */
  readonly base: string;
  readonly rows: readonly Summary[];
}

export interface Goal {
  readonly what: string;
  readonly measured: number;
  readonly bound: number;
  readonly direction: "at most" | "at least";
  readonly unit: "×" | "s" | "ms" | "MB" | "right";
}

export interface TopicReport {
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
  /** What was left out and why, and what a number means. */
  readonly remarks: readonly string[];
}

export interface Topic {
  readonly name: string;
  measure(): Promise<TopicReport>;
}

function isMet({ measured, bound, direction }: Goal): boolean {
  return direction === "at most" ? measured <= bound : measured >= bound;
}

export function describeGoal(goal: Goal): string {
  const { what, direction, unit } = goal;
  const digits = unit === "×" || unit === "s" ? 2 : unit === "ms" ? 1 : 0;
  const measured = goal.measured.toFixed(digits);
  return `${isMet(goal) ? "met " : "MISS"}  ${what}: ${measured} ${unit} (goal: ${direction} ${goal.bound} ${unit})`;
}

export function rowCells({ rows, base }: Table, row: Summary): string[] {
  const ms = (value: number) => (value < 10 ? value.toFixed(2) : value.toFixed(1));
  return [
    row.name,
    ratioOf(rows, row.name, base).toFixed(2),
    ratioOf(rows, row.name, base, "p10Ms").toFixed(2),
    ms(row.medianMs),
    ms(row.p95Ms),
    ms(row.iqrMs),
    String(row.samples),
  ];
}

export const columns: readonly string[] = ["", "ratio", "p10 ratio", "median ms", "p95 ms", "iqr ms", "samples"];
