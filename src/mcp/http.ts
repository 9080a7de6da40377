// MCP over HTTP: one route for clients of both protocols, with a session (2025) and without one (2026).
// Invariant: the server reads nothing of a request whose Host, Origin or token is wrong.

import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  originValidationResponse,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { limits } from "../shared/limits.ts";

/** The answer to a request without the token. */
export const noToken = "The token is missing or wrong.";

/** The server of one connection (2025) or of one request (2026). */
export interface Connected {
  readonly server: Server;
  /** True while a call runs. Such a connection is not closed as idle. */
  isBusy?(): boolean;
  close(): void;
}

export interface McpRoutesContext {
  /** The client sends it as `Authorization: Bearer …`. Null: whoever can connect may call. */
  readonly token: string | null;
  /** The host names, without ports, under which clients may address this machine. */
  readonly hosts: readonly string[];
  readonly connect: (isModern: boolean, request: Request) => Connected;
  readonly onError?: (error: Error) => void;
}

export interface McpRoutes {
  readonly app: Hono;
  /** Refuses requests from now on, and ends those that run. Call it before the server ends the connections of clients: a client of 2026 cancels by ending its own. */
  close(): Promise<void>;
}

interface Connection extends Connected {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** The time of the last message from the client. */
  heardAt: number;
}

export function createMcpRoutes({ token, hosts, connect, onError }: McpRoutesContext): McpRoutes {
  const bodies = { maxRequestBodySize: limits.requestBodyBytes };
  const connections = new Map<string, Connection>();
  let isEnding = false;
  const modern = createMcpHandler(({ requestInfo }) => connect(true, requestInfo as Request).server, {
    legacy: "reject",
    ...bodies,
    ...(onError === undefined ? {} : { onerror: onError }),
  });

  const begin = async (request: Request): Promise<Response> => {
    if (!(await closeIdlest(connections)))
      return refusal(503, `${limits.clientSessions} clients are at work already. Try again when one is done.`);
    const connected = connect(false, request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void connections.set(id, { ...connected, transport, heardAt: Date.now() }),
      ...bodies,
    });
    transport.onclose = () => {
      if (transport.sessionId !== undefined) connections.delete(transport.sessionId);
      connected.close();
    };
    await connected.server.connect(transport);
    const response = await transport.handleRequest(request);
    // A first message other than `initialize` does not start a session.
    if (transport.sessionId === undefined) await transport.close();
    return response;
  };

  const app = new Hono();
  app.all("/mcp", async (c) => {
    const request = c.req.raw;
    // SECURITY(T32): these checks come before the request is read.
    const wrong =
      hostHeaderValidationResponse(request, [...hosts]) ??
      originValidationResponse(request, [...hosts]) ??
      (token === null || isToken(request.headers.get("authorization"), token)
        ? undefined
        : refusal(401, noToken, { "www-authenticate": "Bearer" }));
    if (wrong !== undefined) return wrong;
    const isLegacy = await isLegacyRequest(request, undefined, bodies);
    if (isEnding) return refusal(503, "The server is about to end.");
    if (!isLegacy) return await modern.fetch(request);
    const id = request.headers.get("mcp-session-id");
    if (id === null) return await begin(request);
    const connection = connections.get(id);
    if (connection === undefined) return refusal(404, "There is no such session any more. Begin a new one.");
    connection.heardAt = Date.now();
    return await connection.transport.handleRequest(request);
  });
  app.onError((error) => {
    onError?.(error);
    return refusal(500, "The server failed, or is about to end.");
  });
  return {
    app,
    async close() {
      isEnding = true;
      await Promise.all([...connections.values()].map(({ transport }) => transport.close()));
      await modern.close();
    },
  };
}

/**
 * Closes connections of clients that left without closing them: after a day, which is as long as a question waits, or earlier
 * if other clients need the room. A connection is never closed while one of its calls runs. Returns false if there is no
 * room.
 */
async function closeIdlest(connections: ReadonlyMap<string, Connection>): Promise<boolean> {
  const before = Date.now() - limits.sessionIdleS * 1000;
  const quiet = [...connections.values()]
    .filter((connection) => connection.isBusy?.() !== true)
    .sort((one, other) => one.heardAt - other.heardAt);
  const tooMany = connections.size - limits.clientSessions + 1;
  const gone = quiet.filter(({ heardAt }, index) => heardAt < before || index < tooMany);
  await Promise.all(gone.map(({ transport }) => transport.close()));
  return connections.size < limits.clientSessions;
}

/** Compares in constant time, so that the duration does not reveal where the tokens differ. */
function isToken(header: string | null, token: string): boolean {
  const sent = /^Bearer ([\x21-\x7e]+)$/i.exec(header ?? "")?.[1] ?? "";
  const [one, other] = [sent, token].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(one as Buffer, other as Buffer);
}

function refusal(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status, headers });
}
