// What the gate serves to the programs of one box: MCP for its agent, and the words of the command `sallyport`.
// Invariant: a request gets no further than a program of that box could send it. Nothing here answers a question.

import { type Context, Hono } from "hono";
import { stream } from "hono/streaming";
import { hostHeaderValidationResponse, originValidationResponse } from "@modelcontextprotocol/server";
import { z } from "zod";
import { queueApprover } from "../../approval/queue.ts";
import { announced } from "../../mcp/ask.ts";
import { createMcpRoutes } from "../../mcp/http.ts";
import { createServer, createStates } from "../../mcp/server.ts";
import type { OpenSession } from "../../mcp/session.ts";
import { readBody } from "../../web/read-body.ts";
import { limits } from "../../shared/limits.ts";
import { version } from "../version.ts";
import { openSaidInBox } from "../../runtime/agent-said.ts";
import { runInsideCommand } from "./inside-command.ts";
import { serveSaid } from "./inside-said.ts";

const hosts = ["127.0.0.1", "localhost"];

const instructions = `You work in a draft of the person's project, inside a box. Work with your own tools; these are the way out of it.
- git_stage freezes files or commits ({"commits": "all"}), git_push takes them to the project once a person has seen the diff. Leave "target" out, or name a branch: {"type": "local", "path": ".", "branch": "fix"}.
- git_pull {} brings in what the project has now. ask_host asks for a host before a program connects to it.
- {"ok": false} is a refusal: message and hint say what would pass. approval_timeout, or a refusal that names a question, means that a person has not answered yet: go on, then make the same call again.`;

export interface InsideRoutes {
  readonly app: Hono;
  close(): Promise<void>;
}

export function createInsideRoutes(session: OpenSession, onError: (error: Error) => void): InsideRoutes {
  const said = openSaidInBox(session.gate.journal, session.gate);
  const states = createStates();
  const mcp = createMcpRoutes({
    token: null,
    hosts,
    onError,
    connect: (isModern) => ({
      server: createServer(() => Promise.resolve(session), { version: version(), states, isModern, instructions }),
      isBusy: () => session.isBusy(),
      close: () => undefined,
    }),
  });
  const app = new Hono();
  // SECURITY(T73): a page that a browser in the box shows must not send words in the name of the agent.
  app.use("*", async (c, next) => {
    const wrong = hostHeaderValidationResponse(c.req.raw, hosts) ?? originValidationResponse(c.req.raw, hosts);
    return wrong ?? (await next());
  });
  app.onError((error, c) => {
    onError(error);
    return c.body(null, 500);
  });
  app.route("/", mcp.app);
  app.post("/command", (c) => serveCommand(c, session));
  app.post("/said", (c) => serveSaid(c, said));
  return {
    app,
    async close() {
      await mcp.close();
      said.close();
    },
  };
}

const commandRequest = z.strictObject({ words: z.array(z.string()).max(10_000), cwd: z.string() });

/** Answers with lines of JSON: texts as they come, the exit code last. */
async function serveCommand(c: Context, session: OpenSession): Promise<Response> {
  const body = await readBody(c, commandRequest);
  if (body instanceof Response) return body;
  return stream(c, async (lines) => {
    const write = (line: object) => void lines.write(`${JSON.stringify(line)}\n`);
    const code = await session.track(
      runInsideCommand(body.words, {
        cwd: body.cwd,
        call: (tool, args) => callFor(session, tool, args, c.req.raw.signal, (err) => write({ err })),
        out: (out) => write({ out }),
        err: (err) => write({ err }),
      }),
    );
    await lines.write(`${JSON.stringify({ code })}\n`);
  });
}

function callFor(
  { gate }: OpenSession,
  tool: string,
  args: object,
  signal: AbortSignal,
  tell: (text: string) => void,
): ReturnType<OpenSession["gate"]["call"]> {
  return gate.call(
    { tool, args },
    {
      signal,
      maxWaitMs: limits.clientWaitS * 1000,
      claimedBy: "the command sallyport",
      approvers: [
        ({ queue }) =>
          announced(
            queueApprover(() => queue),
            ({ id }) => {
              tell(`sallyport: question ${id} waits for a person\n`);
              return () => undefined;
            },
          ),
      ],
    },
  );
}
