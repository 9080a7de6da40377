// `sallyport mcp --http` as a child, and clients of it: plain requests, each client with a session of its own.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { checked, hello, type Message, type StdioOptions, type ToolResult } from "./mcp-stdio.ts";

export interface HttpClient {
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult>;
}

export interface HttpServer {
  connect(): Promise<HttpClient>;
  /** When it has ended. */
  close(): Promise<void>;
}

/** `words` make it print its url and token as one line of JSON. */
export async function openHttp(words: readonly string[], { cwd, environment }: StdioOptions): Promise<HttpServer> {
  const child = spawn(process.execPath, words, { cwd, stdio: ["ignore", "pipe", "inherit"], env: environment });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    void ended.then(() => reject(new Error("it ended before it listened")));
  });
  const { url, token } = JSON.parse(line) as { url: string; token: string };
  return {
    connect: () => connect(url, token),
    close() {
      child.kill();
      return ended;
    },
  };
}

async function connect(url: string, token: string): Promise<HttpClient> {
  let last = 0;
  const headers = new Headers({
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  });
  const post = async (message: object): Promise<Response> => {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    return response;
  };
  const request = async (method: string, params: unknown): Promise<Response> =>
    await post({ id: ++last, method, params });
  const begun = await request("initialize", hello);
  await begun.text();
  headers.set("mcp-session-id", begun.headers.get("mcp-session-id") ?? "");
  await (await post({ method: "notifications/initialized" })).text();
  return {
    async call(name, args) {
      const response = await request("tools/call", { name, arguments: args });
      return checked(answerOf(await response.text(), last));
    },
  };
}

/** Of a stream of events the last is the answer; it must be the one to this question. */
function answerOf(text: string, id: number): ToolResult | undefined {
  const data =
    text
      .split("\n")
      .findLast((line) => line.startsWith("data: "))
      ?.slice("data: ".length) ?? text;
  const message = JSON.parse(data) as Message;
  if (message.id !== id) throw new Error(`an answer to ${message.id}, and ${id} was asked`);
  return message.result;
}
