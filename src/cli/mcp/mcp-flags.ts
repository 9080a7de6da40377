// The flags and the help of `mcp`.

import type { Command } from "commander";
import { addGateFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addMcp(program: Command, terminal: Terminal, run: Run): void {
  addGateFlags(program.command("mcp"))
    .summary("serve an MCP client: stdio, or HTTP")
    .description("Serves the tools that an agent is granted to an MCP client, over standard input and output.")
    .option("--http <PORT>", "over HTTP instead, for many clients at once; 0 takes any port")
    .option("--host <ADDRESS>", "with --http: where to listen (else 127.0.0.1, which only this machine reaches)")
    .option("--allow-host <NAME>", "with --http: another name it may be called by; can be repeated", (name, all) => [
      ...((all as string[] | undefined) ?? []),
      name,
    ])
    .option("--json", "with --http: print url and token as one JSON line on standard output")
    .addHelpText(
      "after",
      `
A client has a session of its own as long as it is connected; --session gives it one that lasts. Over HTTP each
request needs the token (Authorization: Bearer ...), which is made once and kept in the state directory.

Examples:
  sallyport mcp --project ~/code/app              what a client's configuration starts
  sallyport mcp --http 7118                       http://127.0.0.1:7118/mcp, for many clients
  sallyport init                                  writes it into your agent's configuration`,
    )
    .action((flags) => run(async () => (await import("./mcp.ts")).mcpCommand(flags, terminal)));
}
