// A gate in a process of its own, for situations in which the process itself matters: killed, started in a hostile
// place, with descriptors left open, or inside a box. It makes the calls, one after
// another, and prints the replies.
//
//   node gate-worker.ts '{"state":…,"project":…,"config":…,"how":"gate","calls":[{…}]}'

import { createGate, type Reply } from "../../src/index.ts";
import { createToolRegistry, type ExecArgs, type How, runnerOf } from "./bench.ts";

export interface WorkerOrder {
  readonly state: string;
  readonly project: string;
  readonly config: string;
  readonly how: How;
  readonly calls: readonly ExecArgs[];
}

const order = JSON.parse(process.argv[2] ?? "") as WorkerOrder;
const { state: statePath, project, config: configText } = order;
const gate = createGate({ registry: createToolRegistry(), statePath, project, configText });
const replies: Reply[] = [];
for (const args of order.calls) replies.push(await runnerOf(gate, order.how)(args));
gate.close();
process.stdout.write(JSON.stringify(replies));
