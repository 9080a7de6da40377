// A model on this machine that speaks OpenAI's chat interface, streamed, with scripted moves. The SDK before it is the real one.

import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { listenOn } from "../../fixtures/github-emulator.ts";

/** A call of a tool, or what it says at the end. */
export type ChatMove = string | { readonly tool: string; readonly input: object };

export interface ChatServer {
  readonly url: string;
  /** The key of each request. */
  readonly keys: (string | undefined)[];
  /** The tools that were offered last. */
  tools: readonly string[];
}

export async function startChatServer(t: TestContext, moves: readonly ChatMove[]): Promise<ChatServer> {
  const served: ChatServer = { url: "", keys: [], tools: [] };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const asked = JSON.parse(body) as { tools?: { function: { name: string } }[] };
      const move = moves[served.keys.length];
      served.keys.push(request.headers.authorization);
      served.tools = (asked.tools ?? []).map((tool) => tool.function.name);
      if (move === undefined) return response.writeHead(400).end('{"error":{"message":"nothing more is scripted"}}');
      const call = typeof move === "string" ? null : move;
      const delta =
        call === null
          ? { role: "assistant", content: move }
          : {
              role: "assistant",
              tool_calls: [
                {
                  index: 0,
                  id: `call-${served.keys.length}`,
                  type: "function",
                  function: { name: call.tool, arguments: JSON.stringify(call.input) },
                },
              ],
            };
      const chunk = (choice: object) =>
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "scripted", choices: [{ index: 0, ...choice }] })}\n\n`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk({ delta, finish_reason: null }));
      response.write(chunk({ delta: {}, finish_reason: call === null ? "stop" : "tool_calls" }));
      return response.end("data: [DONE]\n\n");
    });
  });
  const port = await listenOn(server);
  t.after(() => server.close().closeAllConnections());
  return Object.assign(served, { url: `http://127.0.0.1:${port}/v1` });
}
