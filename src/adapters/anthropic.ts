// The gate's tools for Anthropic's SDK: definitions for `messages.create`, answers to a message that uses them, and runnable
// tools for `beta.messages.toolRunner`.

import type Anthropic from "@anthropic-ai/sdk";
import type { BetaRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import type { Gate } from "../runtime/session-gate.ts";
import { answerCall, answerInOrder, type AnswerOptions, modelTools } from "./model-tools.ts";

/** For `tools` of `messages.create` and `messages.stream`. */
export function gateTools(gate: Gate): Anthropic.Tool[] {
  return modelTools(gate).map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: { ...inputSchema } as Anthropic.Tool.InputSchema,
  }));
}

/** Makes the calls that the message asks for, and returns the content of the user message that answers it. Never rejects. */
export function runTools(
  gate: Gate,
  message: { readonly content: readonly Pick<Anthropic.ContentBlock, "type">[] },
  { signal, except = [] }: AnswerOptions = {},
): Promise<Anthropic.ToolResultBlockParam[]> {
  const uses = message.content.filter((block): block is Anthropic.ToolUseBlock => block.type === "tool_use");
  return answerInOrder(
    uses.filter(({ name }) => !except.includes(name)),
    async ({ id, name, input }) => {
      const { structured, text } = await answerCall(gate, name, input, signal);
      return { type: "tool_result", tool_use_id: id, content: text, ...(structured.ok ? {} : { is_error: true }) };
    },
  );
}

/** For `tools` of `beta.messages.toolRunner`, which makes the calls itself. */
export function gateRunnableTools(gate: Gate): BetaRunnableTool<unknown>[] {
  return gateTools(gate).map((tool) => ({
    ...tool,
    parse: (content) => content,
    async run(input, context) {
      const { structured, text } = await answerCall(gate, tool.name, input, context?.signal);
      // The runner catches this error and sets `is_error`.
      if (!structured.ok) throw new ToolError(text);
      return text;
    },
  }));
}
