// Our own MCP server in a room of the bench: the built command, its configuration and where it runs.

import { existsSync, writeFileSync } from "node:fs";
import { type GrantLine, repository, type Room } from "./box-room.ts";
import type { StdioOptions } from "./mcp-stdio.ts";

export interface McpPlace extends StdioOptions {
  /** What node is started with. */
  words(...flags: readonly string[]): string[];
}

/** A text: why it cannot be measured. */
export function mcpPlace(
  room: Room,
  project: string,
  grants: readonly GrantLine[],
  stateName: string,
): McpPlace | string {
  if (!existsSync(`${repository}/dist/bundle/main.cjs`))
    return "sallyport mcp left out: this clone is not built (npm run build)";
  const config = `${room.configHome}/${stateName}.json`;
  const agent = { tool_grants: ["Exec", "Git"], fs_grants: [{ path: "/usr", mode: "r" }, ...grants] };
  writeFileSync(config, JSON.stringify({ version: 1, agents: { default: agent } }), { mode: 0o600 });
  const places = ["--config", config, "--state", room.statePath(stateName), "--project", project];
  return {
    cwd: project,
    environment: { XDG_CONFIG_HOME: room.configHome, HOME: room.directory, PATH: "/usr/bin:/bin" },
    words: (...flags) => [`${repository}/bin/sallyport.js`, "mcp", ...places, ...flags],
  };
}
