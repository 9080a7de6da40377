// @cyanheads/git-mcp-server, started once and asked over its standard streams, as an MCP client asks.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { install, installedAt, installedVersion } from "./installed.ts";

const name = "@cyanheads/git-mcp-server";
const FIRST_ANSWER_MS = 60_000;

export interface GitServer {
  readonly version: string;
  /** Calls a tool and answers with its text. An error is thrown. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  close(): void;
}

interface Message {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text?: string }[] };
}

/** A text says why it cannot take part. `home`: where it may keep what it wants to keep. */
export async function openGitServer(home: string): Promise<GitServer | string> {
  const problem = install(name);
  if (problem !== null) return `${name} is not installed, left out: ${problem}`;
  const child = spawn(process.execPath, [`${installedAt(name)}/dist/index.js`], {
    cwd: home,
    stdio: ["pipe", "pipe", "ignore"],
    env: {
      PATH: "/usr/bin:/bin",
      HOME: home,
      MCP_TRANSPORT_TYPE: "stdio",
      MCP_LOG_LEVEL: "error",
      NODE_ENV: "production",
    },
  });
  const request = connect(child);
  try {
    const clientInfo = { name: "bench", version: "0" };
    const hello = request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    await within(hello, FIRST_ANSWER_MS);
  } catch (error) {
    child.kill();
    return `${name} left out, it does not start here: ${error instanceof Error ? error.message : String(error)}`;
  }
  child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return {
    version: installedVersion(name),
    async call(tool, args) {
      const { result } = await request("tools/call", { name: tool, arguments: args });
      const text = result?.content?.[0]?.text ?? "";
      if (result?.isError === true) throw new Error(`${name}: ${text}`);
      return text;
    },
    close: () => void child.kill(),
  };
}

/** One JSON text a line, both ways. */
function connect(child: ChildProcess): (method: string, params: unknown) => Promise<Message> {
  const waiting = new Map<number, { resolve: (message: Message) => void; reject: (error: Error) => void }>();
  const failAll = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  child.once("error", failAll);
  child.once("exit", (code) => failAll(new Error(`it ended with ${code}`)));
  child.stdin?.on("error", failAll);
  if (child.stdout === null) throw new Error("no stdout");
  createInterface(child.stdout).on("line", (line) => {
    const message = parse(line);
    const asked = message?.id === undefined ? undefined : waiting.get(message.id);
    if (message?.id === undefined || asked === undefined) return; // a notification, or a stray line
    waiting.delete(message.id);
    if (message.error === undefined) asked.resolve(message);
    else asked.reject(new Error(message.error.message));
  });
  let last = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
}

function parse(line: string): Message | null {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return null;
  }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
