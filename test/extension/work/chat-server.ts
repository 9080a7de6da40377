// A model on this machine that speaks OpenAI's chat interface or Google's, streamed, with scripted moves. The SDK before it is the real one.

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

/** How one provider's interface says what this server needs. */
interface ChatForm {
  readonly base: string;
  readonly key: string;
  toolsOf(asked: never): readonly string[];
  /** The data of each event of an answer. `number`: of the answer, from 1. */
  events(move: ChatMove, number: number): readonly string[];
}

const openaiForm: ChatForm = {
  base: "/v1",
  key: "authorization",
  toolsOf: ({ tools = [] }: { tools?: { function: { name: string } }[] }) => tools.map((tool) => tool.function.name),
  events(move, number) {
    const call = typeof move === "string" ? null : move;
    const calls = (made: NonNullable<typeof call>) => [
      {
        index: 0,
        id: `call-${number}`,
        type: "function",
        function: { name: made.tool, arguments: JSON.stringify(made.input) },
      },
    ];
    const delta = { role: "assistant", ...(call === null ? { content: move } : { tool_calls: calls(call) }) };
    const chunk = (choice: object) =>
      JSON.stringify({
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model: "scripted",
        choices: [{ index: 0, ...choice }],
      });
    const end = { delta: {}, finish_reason: call === null ? "stop" : "tool_calls" };
    return [chunk({ delta, finish_reason: null }), chunk(end), "[DONE]"];
  },
};

const googleForm: ChatForm = {
  base: "/v1beta",
  key: "x-goog-api-key",
  toolsOf: ({ tools = [] }: { tools?: { functionDeclarations: { name: string }[] }[] }) =>
    tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)),
  events(move) {
    const part = typeof move === "string" ? { text: move } : { functionCall: { name: move.tool, args: move.input } };
    return [JSON.stringify({ candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP" }] })];
  },
};

const forms = { openai: openaiForm, google: googleForm } as const;

export async function startChatServer(
  t: TestContext,
  moves: readonly ChatMove[],
  provider: keyof typeof forms = "openai",
): Promise<ChatServer> {
  const form = forms[provider];
  const served: ChatServer = { url: "", keys: [], tools: [] };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const move = moves[served.keys.length];
      served.keys.push(request.headers[form.key] as string | undefined);
      served.tools = form.toolsOf(JSON.parse(body) as never);
      if (move === undefined) return response.writeHead(400).end('{"error":{"message":"nothing more is scripted"}}');
      response.writeHead(200, { "content-type": "text/event-stream" });
      return response.end(
        form
          .events(move, served.keys.length)
          .map((data) => `data: ${data}\n\n`)
          .join(""),
      );
    });
  });
  const port = await listenOn(server);
  t.after(() => server.close().closeAllConnections());
  return Object.assign(served, { url: `http://127.0.0.1:${port}${form.base}` });
}
