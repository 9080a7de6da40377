// Takes what a client in the box says about its own tools, and gives the box the program that says it.
// Invariant: nothing is answered, so that no tool of the client waits for the gate or depends on it.

import type { Context } from "hono";
import { z } from "zod";
import type { SaidInBox } from "../../runtime/agent-said.ts";
import { limits } from "../../shared/limits.ts";
import { readBody } from "../../web/read-body.ts";

const name = z.string().max(200);
const saidRequest = z.strictObject({ client: name, tool: name, input: z.unknown(), session: name.nullable() });

export async function serveSaid(c: Context, said: SaidInBox): Promise<Response> {
  const body = await readBody(c, saidRequest);
  if (body instanceof Response) return body;
  said.add({ ...body, input: body.input ?? null });
  return c.body(null, 204);
}

/** Reads what the client gives to its hook. It ends with 0 and no output, soon and whatever happens: to every client that means to go on. */
export function sayingProgram(node: string): string {
  return `#!${node}
"use strict";
const { request } = require("node:http");
const end = () => process.exit(0);
setTimeout(end, ${limits.saidWaitMs});
process.on("uncaughtException", end);
const LONGEST = 4_000;
const WHOLE = 48_000;
const cut = (value) => (typeof value === "string" && value.length > LONGEST ? value.slice(0, LONGEST) + " [" + (value.length - LONGEST) + " more characters]" : value);
let text = "";
process.stdin.setEncoding("utf8");
process.stdin.on("error", end);
process.stdin.on("data", (part) => (text += part));
process.stdin.on("end", () => {
  const { tool_name: tool, tool_input: input, session_id: session } = JSON.parse(text, (key, value) => cut(value));
  const said = { client: process.argv[3], tool, input, session: session ?? null };
  const whole = JSON.stringify(said);
  const body = whole.length <= WHOLE ? whole : JSON.stringify({ ...said, input: "[" + text.length + " characters, too many to say]" });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  request({ host: "127.0.0.1", port: ${limits.insidePort}, path: "/said", method: "POST", headers, agent: false }, end).on("error", end).end(body);
});
`;
}
