// A gate in a process of its own, for situations in which the process itself matters: killed, started in a hostile
// place, with descriptors left open, or inside a box. It makes one call and prints the reply.
//
//   node gate-worker.ts '{"state":…,"project":…,"config":…,"how":"gate","args":{…}}'

import { createGate } from "../../src/index.ts";
import { createToolRegistry, type ExecArgs, type How, runnerOf } from "./bench.ts";

export interface WorkerOrder {
  readonly state: string;
  readonly project: string;
  readonly config: string;
  readonly how: How;
  readonly args: ExecArgs;
}

const order = JSON.parse(process.argv[2] ?? "") as WorkerOrder;
const { state: statePath, project, config: configText } = order;
const gate = createGate({ registry: createToolRegistry(), statePath, project, configText });
const reply = await runnerOf(gate, order.how)(order.args);
gate.close();
process.stdout.write(JSON.stringify(reply));
