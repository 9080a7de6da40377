// MCP over HTTP with a session for each client: one for each connection (2025), or one for each name (2026).

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { createMcpRoutes, type McpRoutes } from "./http.ts";
import { createServer, createStates } from "./server.ts";
import { createSessions, type Opener, sessionName } from "./sessions.ts";

export interface ClientRoutesContext {
  readonly open: Opener;
  /** A short name of the worker, which keeps its clients' sessions apart from those of others. Null without a worker. */
  readonly worker: string | null;
  readonly token: string;
  /** The names under which clients may call this server; without ports. */
  readonly hosts: readonly string[];
  readonly version: string;
  readonly onError: (error: Error) => void;
}

export function createClientRoutes({ open, worker, token, hosts, version, onError }: ClientRoutesContext): McpRoutes {
  const sessions = createSessions(open);
  const states = createStates();
  const routes = createMcpRoutes({
    token,
    hosts,
    onError,
    connect(isModern, request) {
      if (!isModern) {
        const session = sessions.forConnection();
        const server = createServer(() => session.open(), { version, states, isModern });
        return { server, isBusy: () => session.isBusy(), close: () => session.close() };
      }
      const server = createServer(
        ({ name }) => {
          const chosen = sessionName(request, name, worker);
          if (chosen !== null) return sessions.named(chosen);
          const takes = "at most 64 letters, digits, dots, dashes and underscores";
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `?session= takes ${takes}.`);
        },
        { version, states, isModern },
      );
      return { server, close: () => undefined };
    },
  });
  return {
    app: routes.app,
    async close() {
      await routes.close();
      await sessions.close();
    },
  };
}
