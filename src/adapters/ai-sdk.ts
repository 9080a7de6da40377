// The gate's tools for the AI SDK: `generateText({ model, tools: gateTools(gate), … })`.

import { type JSONSchema7, jsonSchema, type Tool, tool } from "ai";
import type { Gate } from "../runtime/session-gate.ts";
import type { Reply } from "../runtime/reply.ts";
import { modelTools, shortReply } from "./model-tools.ts";

/** A call returns the whole reply; the model reads it as text. */
export type GateTool = Tool<Record<string, unknown>, Reply>;

/** The tools that the agent is granted, by name. */
export function gateTools(gate: Gate): Record<string, GateTool> {
  return Object.fromEntries(
    modelTools(gate).map(({ name, title, description, inputSchema }) => [
      name,
      tool({
        title,
        description,
        // The SDK does not check the arguments. The gate refuses wrong ones and records that.
        inputSchema: jsonSchema<Record<string, unknown>>(inputSchema as JSONSchema7),
        execute: (args, { abortSignal }): Promise<Reply> => gate.call({ tool: name, args }, { signal: abortSignal }),
        toModelOutput: ({ input, output }) => ({
          type: output.ok ? "text" : "error-text",
          value: shortReply(output, input).text,
        }),
      }),
    ]),
  );
}
