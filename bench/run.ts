// npm run bench: everything that is promised about speed and memory, measured in one run and printed as ratios.
//
//   node bench/run.ts [TOPIC | --only TOPIC]... [--json FILE] [--write]
//
// Without a topic, all of them; `npm run bench -- command-line mcp` measures how the command starts.
// --write puts the tables into docs/performance-log.md and the goals into docs/performance.md. A goal that is missed is printed as such and is no error:
// times are compared here, not tested.

import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { atOnceTopic } from "./at-once.ts";
import { browserTopic } from "./browser.ts";
import { commandLineTopic } from "./command-line.ts";
import { draftTopic } from "./draft.ts";
import { gitTopic } from "./git.ts";
import { machine, textReport, writeGoals, writeIntoLog } from "./report.ts";
import { mcpTopic } from "./mcp.ts";
import { networkTopic } from "./network.ts";
import { outputTopic } from "./output.ts";
import { policyTopic } from "./policy.ts";
import { pushTopic } from "./push.ts";
import { longRecordTopic } from "./long-record.ts";
import { recordReadTopic } from "./record-read.ts";
import { recordTopic } from "./record.ts";
import { rwTopic } from "./rw.ts";
import { seriesTopic } from "./series.ts";
import { shellTopic } from "./shell.ts";
import { startTopic } from "./start.ts";
import type { TopicReport } from "./topic.ts";
import { treeTopic } from "./tree.ts";
import { wholeAgentTopic } from "./whole-agent.ts";
import { workspaceTopic } from "./workspace.ts";

const topics = [
  startTopic,
  mcpTopic,
  recordTopic,
  recordReadTopic,
  longRecordTopic,
  policyTopic,
  treeTopic,
  commandLineTopic,
  atOnceTopic,
  outputTopic,
  shellTopic,
  workspaceTopic,
  rwTopic,
  gitTopic,
  pushTopic,
  seriesTopic,
  draftTopic,
  wholeAgentTopic,
  networkTopic,
  browserTopic,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", multiple: true, default: [] },
    json: { type: "string" },
    write: { type: "boolean" },
  },
});
const chosen = [...positionals, ...values.only];
const unknown = chosen.filter((name) => !topics.some((topic) => topic.name === name));
if (unknown.length > 0) {
  console.error(`${unknown.join(", ")}: no such topic. There are: ${topics.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const reports: { readonly name: string; readonly report: TopicReport }[] = [];
console.log(`${machine()}\n`);
for (const topic of topics) {
  if (chosen.length > 0 && !chosen.includes(topic.name)) continue;
  const report = await topic.measure();
  reports.push({ name: topic.name, report });
  console.log(textReport(report));
}
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ machine: machine(), reports }, null, 2)}\n`);
if (values.write === true) {
  const [page, log] = ["performance.md", "performance-log.md"].map(
    (name) => new URL(`../docs/${name}`, import.meta.url),
  );
  const written = reports.reduce(
    (text, { name, report }) => writeIntoLog(text, name, report),
    readFileSync(log as URL, "utf8"),
  );
  writeFileSync(log as URL, written);
  writeFileSync(page as URL, writeGoals(readFileSync(page as URL, "utf8"), written));
}
process.exit(0); // the other library leaves servers behind
