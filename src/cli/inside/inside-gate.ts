// The session's gate as the programs of one box reach it. It has tools of its own, and is opened at the first connection.
// Invariant: these tools read and stage the draft, and ask. None answers, changes rules, lands, or starts a program.

import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Worker } from "../../config/worker.ts";
import type { Backend } from "../../runtime/backend.ts";
import { openGateOn } from "../../runtime/gate.ts";
import type { HostRequests, InsideServer } from "../../runtime/inside-server.ts";
import { queueApprover } from "../../approval/queue.ts";
import { limits } from "../../shared/limits.ts";
import { createAskHostTool } from "../../tools/ask-host.ts";
import { gitDiffTool } from "../../tools/git-diff.ts";
import { gitDiscardTool } from "../../tools/git-discard.ts";
import { gitPullTool } from "../../tools/git-pull.ts";
import { gitPushTool } from "../../tools/git-push.ts";
import { gitStageTool } from "../../tools/git-stage.ts";
import { gitStatusTool } from "../../tools/git-status.ts";
import { createRegistry, type Registry } from "../../tools/registry.ts";

export interface InsideGate extends InsideServer {
  /** The box has ended, and with it every connection. */
  close(): Promise<void>;
}

export interface InsideSession {
  readonly agent: string;
  readonly session: string;
  readonly worker?: Worker;
}

interface Serving {
  readonly http: Server;
  close(): Promise<void>;
}

export function openInsideGate(backend: Backend, session: InsideSession, onError: (error: Error) => void): InsideGate {
  let hosts: HostRequests | null = null;
  let serving: Promise<Serving> | null = null;
  const begin = async (): Promise<Serving> => {
    const [{ getRequestListener }, { openSession }, { createInsideRoutes }] = await Promise.all([
      import("@hono/node-server"),
      import("../../mcp/session.ts"),
      import("./inside-routes.ts"),
    ]);
    const registry = insideRegistry((host, port) => hosts?.request(host, port, limits.clientWaitS * 1000) ?? null);
    // SECURITY(T72): questions go to the queue alone.
    const approvers = [({ queue }: Backend["answerService"]) => queueApprover(() => queue)];
    const opened = openSession(openGateOn(backend, { ...session, registry, approvers }), null);
    const routes = createInsideRoutes(opened, onError);
    const answer = getRequestListener(routes.app.fetch, { overrideGlobalObjects: false });
    const http = createServer((request, response) => void answer(request, response));
    return {
      http,
      async close() {
        await routes.close();
        await opened.close();
      },
    };
  };
  return {
    serve(connection: Socket) {
      serving ??= begin();
      serving.then(
        ({ http }) => http.emit("connection", connection),
        (error: Error) => {
          connection.destroy();
          onError(error);
        },
      );
    },
    reaches(reached) {
      hosts = reached;
    },
    async close() {
      await (await serving?.catch(() => null))?.close();
    },
  };
}

function insideRegistry(request: (host: string, port: number) => ReturnType<HostRequests["request"]> | null): Registry {
  const registry = createRegistry();
  registry.register(gitStatusTool);
  registry.register(gitDiffTool);
  registry.register(gitStageTool);
  registry.register(gitPushTool);
  registry.register(gitDiscardTool);
  registry.register(gitPullTool);
  registry.register(createAskHostTool(async (host, port) => await request(host, port)));
  return registry;
}
