// The gate's tools for the Claude Agent SDK: an MCP server in the same process, in the form that `mcpServers` takes. This file
// does not import that package, which accepts any object with `connect`.

import { Server } from "@modelcontextprotocol/server";
import type { Gate } from "../runtime/session-gate.ts";
import { listedTools } from "../runtime/listed-tools.ts";
import { answerCall, modelTools } from "./model-tools.ts";

export interface GateServerOptions {
  /** The name of the server. The agent's tools are called `mcp__NAME__TOOL`. */
  readonly name?: string;
}

export interface GateServer {
  readonly type: "sdk";
  readonly name: string;
  /** That package declares the class of an older MCP SDK here, but only uses `connect`. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly instance: any;
}

const defaultName = "sallyport";

/** Make one server for each `query`, because it serves one connection. */
export function gateServer(gate: Gate, { name = defaultName }: GateServerOptions = {}): GateServer {
  const tools = modelTools(gate);
  const server = new Server({ name, version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: listedTools(tools) as unknown as { name: string; inputSchema: { type: "object" } }[],
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const { structured, text } = await answerCall(gate, params.name, params.arguments ?? {}, mcpReq.signal);
    return {
      content: [{ type: "text", text }],
      structuredContent: structured,
      ...(structured.ok ? {} : { isError: true }),
    };
  });
  return { type: "sdk", name, instance: server };
}

/** For `allowedTools`. The gate judges each call, so the agent need not ask a second time. */
export function gateToolNames(gate: Gate, { name = defaultName }: GateServerOptions = {}): string[] {
  return modelTools(gate).map((tool) => `mcp__${name}__${tool.name}`);
}
