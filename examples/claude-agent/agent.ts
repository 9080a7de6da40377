// Claude Code as an agent of your program, with the gate's tools instead of its own: it reads, writes, runs and pushes
// only through them.
//
//   npm ci                           in this directory, once: the Claude Agent SDK
//   npx sallyport review             in another terminal: here you answer
//   node agent.ts TASK

import { type Options, query } from "@anthropic-ai/claude-agent-sdk";
import {
  createGate,
  createRegistry,
  type Gate,
  queueApprover,
  registerBashTool,
  registerBuiltinTools,
} from "sallyport";
import { gateServer, gateToolNames } from "sallyport/claude-agent";

export async function runAgent(task: string, gate: Gate, more: Options = {}): Promise<string> {
  const options: Options = {
    tools: [], // none of Claude Code's own, which no gate stands before
    settingSources: [],
    strictMcpConfig: true,
    mcpServers: { sallyport: gateServer(gate) },
    allowedTools: gateToolNames(gate), // the gate judges, so that nobody is asked twice
    ...more,
  };
  for await (const message of query({ prompt: task, options }))
    if (message.type === "result") return message.subtype === "success" ? message.result : message.subtype;
  return "";
}

export function openAgentGate(project: string): Gate {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  return createGate({ registry, project, approvers: [(answerService) => queueApprover(answerService.queue)] });
}

if (process.argv[1] === import.meta.filename) {
  const gate = openAgentGate(process.cwd());
  try {
    console.log(await runAgent(process.argv[2] ?? "Say what is in this repository.", gate));
  } finally {
    gate.close();
  }
}
