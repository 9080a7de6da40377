// The least that the MCP library makes of a server over standard streams: what a start of ours is measured against.
// Plain JavaScript, as a built command is: node would take longer to start it as TypeScript.

import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

serveStdio(() => {
  const server = new Server({ name: "bare", version: "0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [] }));
  return server;
});
