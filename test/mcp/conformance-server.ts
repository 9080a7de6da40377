// What the MCP project's own suite wants to find at a server (its tools, resources and prompts, none of which we have),
// served by our own transport code.

import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type CallToolResult, type GetPromptResult, Server, type ServerContext } from "@modelcontextprotocol/server";
import { listen, loopback, loopbackNames } from "../../src/cli/serve/listen.ts";
import { createMcpRoutes } from "../../src/mcp/http.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/** The fixture on our routes, until the test ends. */
export async function startFixture(t: TestContext): Promise<{ port: number; token: string }> {
  const token = "of-the-conformance-suite";
  const connect = () => ({ server: createFixture(), close: () => undefined });
  const routes = createMcpRoutes({ token, hosts: loopbackNames, connect });
  const listening = await listen(routes.app, { host: loopback, port: 0, flag: "--http" });
  t.after(async () => {
    await routes.close();
    await listening.close();
  });
  return { port: listening.port, token };
}

/** The suite sends no token: passes everything on to that port as it is, and adds the token. */
export async function startFront(t: TestContext, { port, token }: { port: number; token: string }): Promise<string> {
  const front = createServer((incoming, response) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const passed = request({ host: loopback, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => front.listen(0, loopback, resolve));
  t.after(() => {
    front.close();
    front.closeAllConnections();
  });
  return `http://${loopback}:${(front.address() as AddressInfo).port}/mcp`;
}

function createFixture(): Server {
  const server = new Server(
    { name: "conformance-fixture", version: "1" },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} } },
  );
  server.setRequestHandler("logging/setLevel", () => ({}));
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris"], total: 1, hasMore: false },
  }));
  addTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

interface FixtureTool {
  readonly inputSchema?: object;
  run(args: Record<string, unknown>, mcpReq: ServerContext["mcpReq"]): CallToolResult | Promise<CallToolResult>;
}

const text = (value: string): CallToolResult => ({ content: [{ type: "text", text: value }] });
const image = { type: "image", data: png, mimeType: "image/png" } as const;
const pause = () => sleep(20);
const oneOf = (...values: readonly string[]) => values.map((value) => ({ const: value, title: `Title of ${value}` }));

async function ask(
  { elicitInput, id }: ServerContext["mcpReq"],
  message: string,
  properties: object,
  required: readonly string[] = [],
): Promise<CallToolResult> {
  const requestedSchema = { type: "object" as const, properties: properties as never, required: [...required] };
  // On the call's own stream, as our server asks.
  const { action, content } = await elicitInput({ mode: "form", message, requestedSchema }, { relatedRequestId: id });
  return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

const tools: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: { run: () => text("This is a simple text response for testing.") },
  test_image_content: { run: () => ({ content: [image] }) },
  test_audio_content: { run: () => ({ content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] }) },
  test_embedded_resource: {
    run: () => ({
      content: [
        {
          type: "resource",
          resource: {
            uri: "test://embedded-resource",
            mimeType: "text/plain",
            text: "This is an embedded resource content.",
          },
        },
      ],
    }),
  },
  test_multiple_content_types: {
    run: () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        image,
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: '{"test":"data","value":123}',
          },
        },
      ],
    }),
  },
  test_tool_with_logging: {
    async run(_args, { log }) {
      for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await log("info", line);
        await pause();
      }
      return text("done");
    },
  },
  test_error_handling: {
    run: () => ({
      isError: true,
      content: [{ type: "text", text: "This tool intentionally returns an error for testing" }],
    }),
  },
  test_tool_with_progress: {
    async run(_args, { _meta, notify }) {
      const progressToken = _meta?.progressToken;
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        await notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
        await pause();
      }
      return text("done");
    },
  },
  test_sampling: {
    inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    async run({ prompt }, { requestSampling, id }) {
      const messages = [{ role: "user" as const, content: { type: "text" as const, text: String(prompt) } }];
      const { content } = await requestSampling({ messages, maxTokens: 100 }, { relatedRequestId: id });
      return text(`LLM response: ${"text" in content ? content.text : JSON.stringify(content)}`);
    },
  },
  test_elicitation: {
    inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    run: ({ message }, mcpReq) =>
      ask(
        mcpReq,
        String(message),
        {
          username: { type: "string", description: "User's response" },
          email: { type: "string", description: "User's email address" },
        },
        ["username", "email"],
      ),
  },
  test_elicitation_sep1034_defaults: {
    run: (_args, mcpReq) =>
      ask(mcpReq, "Defaults", {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      }),
  },
  test_elicitation_sep1330_enums: {
    run: (_args, mcpReq) =>
      ask(mcpReq, "Choices", {
        untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
        titledSingle: { type: "string", oneOf: oneOf("value1", "value2", "value3") },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
        titledMulti: { type: "array", items: { anyOf: oneOf("value1", "value2", "value3") } },
      }),
  },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
      properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
      additionalProperties: false,
    },
    run: (args) => text(JSON.stringify(args)),
  },
  test_reconnection: { run: () => text("done") },
};

function addTools(server: Server): void {
  server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(tools).map(([name, { inputSchema = { type: "object" } }]) => ({
      name,
      description: `${name}, for the suite`,
      inputSchema: inputSchema as { type: "object" },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = tools[params.name];
    if (tool === undefined) throw new Error(`no tool ${params.name}`);
    return await tool.run(params.arguments ?? {}, mcpReq);
  });
}

function addResources(server: Server): void {
  const listed = ["test://static-text", "test://static-binary", "test://watched-resource"];
  server.setRequestHandler("resources/list", () => ({
    resources: listed.map((uri) => ({ uri, name: uri, description: `${uri}, for the suite` })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: png }] };
    const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1];
    if (id !== undefined)
      return {
        contents: [
          {
            uri,
            mimeType: "application/json",
            text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
          },
        ],
      };
    return { contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }] };
  });
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
}

type Message = GetPromptResult["messages"][number];
const says = (content: Message["content"]): Message => ({ role: "user", content });

const prompts: Readonly<
  Record<string, { readonly takes: readonly string[]; get(args: Record<string, string>): Message[] }>
> = {
  test_simple_prompt: { takes: [], get: () => [says({ type: "text", text: "This is a simple prompt for testing." })] },
  test_prompt_with_arguments: {
    takes: ["arg1", "arg2"],
    get: ({ arg1, arg2 }) => [says({ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })],
  },
  test_prompt_with_embedded_resource: {
    takes: ["resourceUri"],
    get: ({ resourceUri = "" }) => [
      says({
        type: "resource",
        resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
      }),
      says({ type: "text", text: "Please process the embedded resource above." }),
    ],
  },
  test_prompt_with_image: {
    takes: [],
    get: () => [says(image), says({ type: "text", text: "Please analyze the image above." })],
  },
};

function addPrompts(server: Server): void {
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.entries(prompts).map(([name, { takes }]) => ({
      name,
      description: `${name}, for the suite`,
      arguments: takes.map((one) => ({ name: one, required: true })),
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params }) => {
    const prompt = prompts[params.name];
    if (prompt === undefined) throw new Error(`no prompt ${params.name}`);
    return { messages: prompt.get(params.arguments ?? {}) };
  });
}
