// `npm run attention`: plays ten working days and prints what a person was asked. It ends with 1 if the goal is missed.
//
//   npm run attention -- [DAY...] [--json] [--write]

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { nodeDays } from "./node-days.ts";
import { playDay } from "./play-day.ts";
import { pythonDays } from "./python-days.ts";
import { faultLines, figuresOf, textTable, writeFigures } from "./report.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, write: { type: "boolean", default: false } },
});
const order = "feature bug dependency refactoring release review data documentation flaky-test hostile".split(" ");
const days = [...nodeDays, ...pythonDays].toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
const unknown = positionals.find((name) => !order.includes(name));
if (unknown !== undefined) throw new Error(`There is no day ${unknown}. There are ${order.join(", ")}.`);

const counts = [];
for (const day of days.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  if (!values.json) console.error(`${day.title} ...`);
  counts.push(await playDay(day));
}
const figures = counts.map(figuresOf);
const faults = counts.flatMap(faultLines);
console.log(
  values.json
    ? JSON.stringify(
        { days: figures, questions: counts.map(({ day, questions }) => ({ day: day.title, questions })), faults },
        null,
        2,
      )
    : [textTable(figures), ...faults].join("\n"),
);
if (values.write) {
  const page = join(import.meta.dirname, "../../docs/attention.md");
  writeFileSync(page, writeFigures(readFileSync(page, "utf8"), figures));
}
process.exitCode = figures.every(({ is_met: isMet }) => isMet) ? 0 : 1;
