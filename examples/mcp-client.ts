// An MCP client of one's own: starts `sallyport mcp`, lists the tools, and makes three calls. The third is refused.
//
//   node examples/mcp-client.ts [COMMAND …]   the server's command; default: npx sallyport mcp

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [command = "npx", ...args] = process.argv.length > 2 ? process.argv.slice(2) : ["npx", "sallyport", "mcp"];
const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env as Record<string, string> }));

const { tools } = await client.listTools();
for (const { name, title, annotations } of tools)
  console.log(`${name}: ${title}${annotations?.readOnlyHint === true ? " (reads only)" : ""}`);

/** The text is for a model; `structuredContent` is the whole reply, for a program. */
async function call(name: string, input: Record<string, unknown>): Promise<void> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: input });
  const [first] = content;
  console.log(`\n${name} ${isError === true ? "was refused" : "answered"}:`);
  console.log(first?.type === "text" ? first.text : JSON.stringify(structuredContent));
}

await call("write_file", { path: "hello.sh", content: "echo hello from the workspace\n" });
await call("Bash", { script: "bash hello.sh" });
await call("Bash", { script: "sudo true" });

await client.close();
