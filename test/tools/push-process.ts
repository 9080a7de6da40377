// A gate in a process of its own that pushes one staged commit, to be killed. Prints "start", then "done" with the reply.
// usage: node push-process.ts '{"statePath": …, "project": …, "configText": …, "session": …, "commitId": …, "target": {…}}'

import { createGate, createRegistry, registerBuiltinTools } from "../../src/index.ts";
import { scripted } from "../fixtures/approver.ts";

const { commitId, target, ...options } = JSON.parse(process.argv[2] ?? "") as {
  commitId: string;
  target: object;
  statePath: string;
  project: string;
  configText: string;
  session: string;
};
const registry = createRegistry();
registerBuiltinTools(registry);
const gate = createGate({ registry, ...options, approvers: [scripted()] });
process.stdout.write("start\n");
const reply = await gate.call({ tool: "git_push", args: { commitId, target } });
process.stdout.write(`done ${JSON.stringify(reply)}\n`);
gate.close();
