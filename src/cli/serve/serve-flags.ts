// The flags and the help of `serve`.

import type { Command } from "commander";
import { addGateFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

const defaultPort = "7117";

export function addServe(program: Command, terminal: Terminal, run: Run): void {
  addGateFlags(program.command("serve"))
    .summary("the web page: questions, diffs, the record")
    .description("Serves the page where a person answers, reads diffs and looks at the record. This machine only.")
    .option("--port <N>", "where to listen; 0 takes any port", defaultPort)
    .option("--json", "print url, link and port, and MCP's address and token, as one JSON line")
    .addHelpText(
      "after",
      `
It prints a link that works once: whoever opens it may answer. On a terminal, Enter prints a fresh one. The link is all
that lets anybody in, so a program that only reaches the port can neither read nor answer. While it runs, calls wait for
an answer here. Ctrl-C ends it, and every page that was open.

Examples:
  sallyport serve
  sallyport serve --port 8080 --project ~/code/app

Exit code: 0 when it was ended by Ctrl-C or SIGTERM; 2 when the port is taken or the configuration is wrong.`,
    )
    .action((flags) => run(async () => (await import("./serve.ts")).serveCommand(flags, terminal)));
}
