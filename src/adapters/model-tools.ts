// What the adapters share: the granted tools under names that the models' interfaces accept, and a call answered as text.

import type { Gate } from "../runtime/session-gate.ts";
import { offeredTools, type OfferedTool } from "../runtime/offered-tools.ts";
import type { Reply } from "../runtime/reply.ts";
import { type ModelReply, modelReply } from "../runtime/model-reply.ts";

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

export interface AnswerOptions {
  /** Ends the running calls and all processes that they started. */
  readonly signal?: AbortSignal | undefined;
  /** Names of your own tools, which you answer yourself. */
  readonly except?: readonly string[];
}

export function modelTools(gate: Gate): readonly OfferedTool[] {
  const tools = offeredTools(gate);
  const wrong = tools.find(({ name }) => !namePattern.test(name));
  // This throws instead of leaving the tool out: the interfaces would refuse the whole request, and the developer who
  // registered the tool should know.
  if (wrong !== undefined)
    throw new TypeError(
      `a model cannot be given the tool ${JSON.stringify(wrong.name)}: letters, digits, _ and - only, at most 64`,
    );
  return tools;
}

/** Makes one call for a model. Never rejects: a refusal is an answer, too. */
export async function answerCall(
  gate: Gate,
  tool: string,
  args: unknown,
  signal: AbortSignal | null | undefined,
): Promise<ModelReply> {
  return shortReply(await gate.call({ tool, args }, { signal: signal ?? undefined }), args);
}

export function shortReply(reply: Reply, args: unknown): ModelReply {
  return modelReply(reply, args, "ask for less at once");
}

/** Makes the calls in the order in which the model wrote them, because a later call of a turn often depends on an earlier one. */
export async function answerInOrder<Call, Answer>(
  calls: readonly Call[],
  answer: (call: Call) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const call of calls) answers.push(await answer(call));
  return answers;
}

/** Arguments that are not JSON go to the gate unchanged. The gate refuses them, says so, and records it. */
export function parseArguments(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
