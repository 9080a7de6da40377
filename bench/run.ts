// npm run bench: everything that is promised about speed and memory, measured in one run and printed as ratios.
//
//   node bench/run.ts [--only TOPIC]... [--json FILE] [--write]
//
// --write puts the tables into docs/performance.md. A goal that is missed is printed as such and is no error:
// times are compared here, not tested.

import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { atOnceTopic } from "./at-once.ts";
import { commandLineTopic } from "./command-line.ts";
import { gitTopic } from "./git.ts";
import { machine, textReport, writeIntoDocument } from "./report.ts";
import { mcpTopic } from "./mcp.ts";
import { outputTopic } from "./output.ts";
import { policyTopic } from "./policy.ts";
import { pushTopic } from "./push.ts";
import { recordReadTopic } from "./record-read.ts";
import { recordTopic } from "./record.ts";
import { shellTopic } from "./shell.ts";
import { startTopic } from "./start.ts";
import type { TopicReport } from "./topic.ts";
import { treeTopic } from "./tree.ts";
import { workspaceTopic } from "./workspace.ts";

// Starting a process costs more the more memory its parent has: what compares this process with others comes first.
const topics = [
  startTopic,
  mcpTopic,
  recordTopic,
  recordReadTopic,
  policyTopic,
  treeTopic,
  commandLineTopic,
  atOnceTopic,
  outputTopic,
  shellTopic,
  workspaceTopic,
  gitTopic,
  pushTopic,
];

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, json: { type: "string" }, write: { type: "boolean" } },
});
const unknown = (values.only ?? []).filter((name) => !topics.some((topic) => topic.name === name));
if (unknown.length > 0) {
  console.error(`--only ${unknown.join(", ")}: no such topic. There are: ${topics.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const reports: TopicReport[] = [];
console.log(`${machine()}\n`);
for (const topic of topics) {
  if (values.only !== undefined && !values.only.includes(topic.name)) continue;
  const report = await topic.measure();
  reports.push(report);
  console.log(textReport(report));
}
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ machine: machine(), reports }, null, 2)}\n`);
if (values.write === true) {
  const document = new URL("../docs/performance.md", import.meta.url);
  writeFileSync(document, writeIntoDocument(readFileSync(document, "utf8"), reports));
}
process.exit(0); // the other library leaves servers behind
