// A coding agent on the AI SDK. All it does goes through a gate: it works in a workspace in memory, its scripts run in a
// box, and what it pushes a person has seen.
//
//   npx sallyport review                      in another terminal: here you answer
//   node examples/ai-sdk-agent.ts MODEL TASK  a model of the AI gateway, such as anthropic/claude-sonnet-4.5

import { generateText, isStepCount, type LanguageModel } from "ai";
import {
  createGate,
  createRegistry,
  type Gate,
  queueApprover,
  registerBashTool,
  registerBuiltinTools,
} from "sallyport";
import { gateTools } from "sallyport/ai-sdk";

const instructions = `You work on the git repository "." of this person, which you cannot change directly.
Bring files into your workspace with git_pull, change and test them there, then git_stage and git_push to a new branch.
Where a tool refuses, read its hint.`;

/** The files, git and Bash; where the policy asks, questions wait in the queue for a person. */
export function openAgentGate(project: string): Gate {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  return createGate({ registry, project, approvers: [(answerService) => queueApprover(answerService.queue)] });
}

export async function runAgent(model: LanguageModel, task: string, gate: Gate): Promise<string> {
  const { text } = await generateText({
    model,
    instructions,
    prompt: task,
    tools: gateTools(gate),
    stopWhen: isStepCount(50),
  });
  return text;
}

if (process.argv[1] === import.meta.filename) {
  const [model, task] = process.argv.slice(2);
  if (model === undefined || task === undefined) throw new Error("Usage: node ai-sdk-agent.ts MODEL TASK");
  const gate = openAgentGate(process.cwd());
  try {
    console.log(await runAgent(model, task, gate));
  } finally {
    gate.close();
  }
}
