// The MCP server of one session: lists the tools and handles calls. It opens the gate on first use, so that a client gets an
// answer at once when it connects.

import {
  createRequestStateCodec,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { ShowForm } from "./ask.ts";
import type { AskedState } from "./call-tool.ts";
import { clientOf, type McpClient } from "./client.ts";
import type { OpenSession } from "./session.ts";

const onlyTools = `Everything you do on this machine goes through these tools. Each call is judged, run in a box and written down.
- You work in a draft: a private layer over the person's project, at the project's own path and at /workspace. Read, edit, run and commit there freely; the project itself stays as it is.
- git_stage freezes what you changed, git_push takes it out to a branch once a person has seen the diff. "target" can be left out, or is such as {"type": "local", "path": ".", "branch": "fix"}.
- If the first reply says that the workspace is in memory, it begins empty: git_pull brings files in, {"source": {"type": "local", "path": "."}, "paths": ["src"]} is from the person's project.
- {"ok": false} is a refusal: message and hint say what would pass. A program that fails is not one: look at exit_code.
- approval_timeout, or a refusal that names a question, means that a person has not answered yet: do something else, then make the same call again; it picks the answer up.`;

/** The arguments stay as received: the library's own schema would drop a key `__proto__`, which the gate has to refuse. */
const callParams = z.object({ name: z.string(), arguments: z.unknown().optional() });

/** The session of a request, opened on first use. */
export type SessionOf = (client: McpClient) => Promise<OpenSession>;

export interface ServerOptions {
  readonly version: string;
  readonly states: RequestStateCodec<AskedState>;
  /** True for 2026: the server cannot ask while a call runs. */
  readonly isModern: boolean;
  /** For the model; those of a client that has no other tools if absent. */
  readonly instructions?: string | undefined;
}

/** Signs the state that goes to a client and comes back. A state of another process or of another session is invalid. */
export function createStates(): RequestStateCodec<AskedState> {
  return createRequestStateCodec<AskedState>({
    key: crypto.getRandomValues(new Uint8Array(32)),
    bind: ({ mcpReq }: ServerContext) => mcpReq.method,
  });
}

export function createServer(
  sessionOf: SessionOf,
  { version, states, isModern, instructions = onlyTools }: ServerOptions,
): Server {
  const server = new Server(
    { name: "sallyport", title: "Sallyport", version },
    {
      capabilities: { tools: {}, logging: {} },
      instructions,
      requestState: { verify: (state, context) => states.verify(state, context) },
    },
  );
  let logLevel: string | null = null;
  server.setRequestHandler("logging/setLevel", ({ params }) => {
    logLevel = params.level;
    return {};
  });
  server.setRequestHandler("tools/list", async (_request, context) => {
    const { tools } = await opened(sessionOf(clientOf(server, context, logLevel)));
    return { tools: [...tools] as unknown as ListToolsResult["tools"] };
  });
  server.setRequestHandler("tools/call", { params: callParams }, async (params, context) => {
    const client = clientOf(server, context, logLevel);
    const session = await opened(sessionOf(client));
    const { gate, ready } = session;
    await ready;
    const { callTool } = await import("./call-tool.ts");
    // The form has no timeout of its own: the call's signal ends the waiting. It goes over the call's own stream, because a
    // client over HTTP may have no other, and then the form would be dropped.
    const way = { timeout: 2 ** 31 - 1, relatedRequestId: context.mcpReq.id };
    const showForm: ShowForm = (form, signal) => context.mcpReq.elicitInput(form, { ...way, signal });
    const call = { gate, client, context, showForm: isModern ? null : showForm, states };
    return await session.track(callTool(params.name, params.arguments ?? {}, call));
  });
  return server;
}

async function opened(session: Promise<OpenSession>): Promise<OpenSession> {
  try {
    return await session;
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, `The gate could not be opened: ${message}`);
  }
}
