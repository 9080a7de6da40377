// @cyanheads/git-mcp-server, started once and asked over its standard streams, as an MCP client asks.

import { install, installedAt, installedVersion } from "./installed.ts";
import { openStdio } from "./mcp-stdio.ts";

const name = "@cyanheads/git-mcp-server";

export interface GitServer {
  readonly version: string;
  /** Calls a tool and answers with its text. An error is thrown. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
}

/** A text says why it cannot take part. `home`: where it may keep what it wants to keep. */
export async function openGitServer(home: string): Promise<GitServer | string> {
  const problem = install(name);
  if (problem !== null) return `${name} is not installed, left out: ${problem}`;
  try {
    const server = await openStdio([`${installedAt(name)}/dist/index.js`], {
      cwd: home,
      environment: {
        PATH: "/usr/bin:/bin",
        HOME: home,
        MCP_TRANSPORT_TYPE: "stdio",
        MCP_LOG_LEVEL: "error",
        NODE_ENV: "production",
      },
    });
    return {
      version: installedVersion(name),
      call: async (tool, args) => (await server.call(tool, args)).content?.[0]?.text ?? "",
      close: server.close,
    };
  } catch (error) {
    return `${name} left out, it does not start here: ${error instanceof Error ? error.message : String(error)}`;
  }
}
