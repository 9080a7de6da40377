// An MCP server as a child, asked over its standard streams: one JSON text a line, both ways. No library of a client's,
// so that what is timed is the server.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

const FIRST_ANSWER_MS = 60_000;

export interface ToolResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

export interface Message {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: ToolResult;
}

export interface StdioServer {
  request(method: string, params: unknown): Promise<Message>;
  /** A result that is an error is thrown. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult>;
  /** When it has ended. */
  readonly close: () => Promise<void>;
}

export interface StdioOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

export const hello = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "0" },
};

/** Started, greeted and ready. */
export async function openStdio(words: readonly string[], options: StdioOptions): Promise<StdioServer> {
  const { cwd, environment } = options;
  const child = spawn(process.execPath, words, { cwd, stdio: ["pipe", "pipe", "ignore"], env: environment });
  const request = connect(child, words[0] ?? "it");
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const close = () => {
    child.kill();
    return ended;
  };
  try {
    await within(request("initialize", hello), FIRST_ANSWER_MS);
  } catch (error) {
    await close();
    throw error;
  }
  child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return {
    request,
    call: async (name, args) => checked((await request("tools/call", { name, arguments: args })).result),
    close,
  };
}

export function checked(result: ToolResult | undefined): ToolResult {
  if (result === undefined || result.isError === true)
    throw new Error(`the call went wrong: ${JSON.stringify(result)}`);
  return result;
}

function connect(child: ChildProcess, name: string): StdioServer["request"] {
  const waiting = new Map<number, { resolve: (message: Message) => void; reject: (error: Error) => void }>();
  const failAll = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  child.once("error", failAll);
  child.once("exit", (code) => failAll(new Error(`${name} ended with ${code}`)));
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
