// What the adapters share: the granted tools under names that the models' interfaces take, and a call answered as text.

import type { Gate } from "../runtime/gate.ts";
import { offeredTools, type OfferedTool } from "../runtime/offered-tools.ts";
import type { Reply } from "../runtime/reply.ts";
import { shortReplyText } from "../runtime/reply-text.ts";

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

export interface AnswerOptions {
  /** Ends what is running, with all that it started. */
  readonly signal?: AbortSignal | undefined;
  /** Tools of your own, which you answer yourself. */
  readonly except?: readonly string[];
}

export function modelTools(gate: Gate): readonly OfferedTool[] {
  const tools = offeredTools(gate);
  const wrong = tools.find(({ name }) => !namePattern.test(name));
  // Thrown, not left out: the interfaces refuse the whole request, and whoever registered it should know.
  if (wrong !== undefined)
    throw new TypeError(
      `a model cannot be given the tool ${JSON.stringify(wrong.name)}: letters, digits, _ and - only, at most 64`,
    );
  return tools;
}

export interface AnsweredCall {
  readonly reply: Reply;
  /** What the model reads of it. */
  readonly text: string;
}

/** One call for a model. Never rejects: a refusal is an answer. */
export async function answerCall(
  gate: Gate,
  tool: string,
  args: unknown,
  signal: AbortSignal | null | undefined,
): Promise<AnsweredCall> {
  const reply = await gate.call({ tool, args }, { signal: signal ?? undefined });
  return { reply, text: modelText(reply) };
}

export function modelText(reply: Reply): string {
  return shortReplyText(reply, "ask for less at once");
}

/** In the order in which the model wrote them: what it writes in one turn often builds on what stands before. */
export async function answerInOrder<Call, Answer>(
  calls: readonly Call[],
  answer: (call: Call) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const call of calls) answers.push(await answer(call));
  return answers;
}

/** Arguments that are no JSON go to the gate as they are: it refuses them, says so, and writes it down. */
export function parseArguments(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
