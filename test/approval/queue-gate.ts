// A gate in a process of its own that asks the queue: one call, its reply printed as JSON. `silent`: its approver never answers.

import {
  type Approver,
  createGate,
  createRegistry,
  type GateOptions,
  queueApprover,
  registerExecTool,
} from "../../src/index.ts";

const { args, silent, ...options } = JSON.parse(process.argv[2] ?? "") as { args: unknown; silent?: boolean } & Omit<
  GateOptions,
  "registry"
>;
const registry = createRegistry();
registerExecTool(registry);
const never: Approver = { name: "silent", ask: () => new Promise(() => undefined) };
const gate = createGate({
  registry,
  ...options,
  approvers: [silent === true ? never : (answerService) => queueApprover(answerService.queue)],
});
process.stdout.write("open\n");
process.stdout.write(JSON.stringify(await gate.call({ tool: "Exec", args })));
gate.close();
