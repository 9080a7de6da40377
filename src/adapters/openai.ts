// The gate's tools for OpenAI's SDK: definitions for `chat.completions` and for `responses`, and answers to the calls.

import type OpenAI from "openai";
import type { RunnableToolFunctionWithoutParse } from "openai/lib/RunnableFunction";
import type { Gate } from "../runtime/session-gate.ts";
import { answerCall, answerInOrder, type AnswerOptions, modelTools, parseArguments } from "./model-tools.ts";

type ChatTool = OpenAI.Chat.Completions.ChatCompletionFunctionTool;
type ChatAnswer = OpenAI.Chat.Completions.ChatCompletionToolMessageParam;
type ResponseTool = OpenAI.Responses.FunctionTool;
type ResponseAnswer = OpenAI.Responses.ResponseInputItem.FunctionCallOutput;

/** For `tools` of `chat.completions.create`. Not `strict`, which allows no optional arguments. */
export function gateChatTools(gate: Gate): ChatTool[] {
  return modelTools(gate).map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: { ...inputSchema }, strict: false },
  }));
}

/** Makes the calls that the message asks for, and returns the messages that answer it. Never rejects. */
export function runChatTools(
  gate: Gate,
  message: Pick<OpenAI.Chat.Completions.ChatCompletionMessage, "tool_calls">,
  { signal, except = [] }: AnswerOptions = {},
): Promise<ChatAnswer[]> {
  const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
  return answerInOrder(
    calls.filter((call) => !except.includes(call.function.name)),
    async (call) => {
      const args = parseArguments(call.function.arguments);
      const { text } = await answerCall(gate, call.function.name, args, signal);
      return { role: "tool", tool_call_id: call.id, content: text };
    },
  );
}

/** For `tools` of `chat.completions.runTools`, which makes the calls itself. */
export function gateRunnableTools(gate: Gate): RunnableToolFunctionWithoutParse[] {
  return modelTools(gate).map(({ name, description, inputSchema }) => ({
    type: "function",
    function: {
      name,
      description,
      parameters: { ...inputSchema } as Record<string, unknown>,
      strict: false,
      async function(args, runner) {
        return (await answerCall(gate, name, parseArguments(args), runner.controller.signal)).text;
      },
    },
  }));
}

/** For `tools` of `responses.create`. */
export function gateResponseTools(gate: Gate): ResponseTool[] {
  return modelTools(gate).map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    parameters: { ...inputSchema },
    strict: false,
  }));
}

/** Makes the calls that the response asks for, and returns the `input` items that answer it. Never rejects. */
export function runResponseTools(
  gate: Gate,
  response: Pick<OpenAI.Responses.Response, "output">,
  { signal, except = [] }: AnswerOptions = {},
): Promise<ResponseAnswer[]> {
  const calls = response.output.filter((item) => item.type === "function_call");
  return answerInOrder(
    calls.filter(({ name }) => !except.includes(name)),
    async (call) => {
      const { text } = await answerCall(gate, call.name, parseArguments(call.arguments), signal);
      return { type: "function_call_output", call_id: call.call_id, output: text };
    },
  );
}
