// A gate in a process of its own that pulls, to be killed: `pull-process.ts '{"statePath": …, "project": …, …}'`. It says
// "start" right before the call and "done" after it.

import { createGate, createRegistry, registerBuiltinTools } from "../../src/index.ts";

const { paths, ...options } = JSON.parse(process.argv[2] ?? "") as {
  paths: readonly string[];
  statePath: string;
  project: string;
  configText: string;
  session: string;
};
const registry = createRegistry();
registerBuiltinTools(registry);
const gate = createGate({ registry, ...options });
await gate.call({ tool: "git_status", args: {} });
process.stdout.write("start\n");
const reply = await gate.call({ tool: "git_pull", args: { source: { type: "local", path: "." }, paths } });
process.stdout.write(reply.ok ? "done\n" : `${JSON.stringify(reply)}\n`);
gate.close();
