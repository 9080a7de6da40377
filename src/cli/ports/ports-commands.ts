// `sallyport ports`: its subcommands, their flags and their help.

import type { Command } from "commander";
import { pathFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addPorts(program: Command, terminal: Terminal, run: Run): void {
  const ports = program
    .command("ports")
    .summary("servers that run in boxes now: list, forward")
    .description("Shows at which ports programs listen in the boxes of running calls, and lets you look at one.")
    .addHelpText(
      "after",
      `
Examples:
  sallyport ports
  sallyport ports forward 5173

Exit code: 0 when all went well; 1 when there is no such server; 2 for wrong use.`,
    );
  const sub = (name: string, summary: string, isDefault = false): Command =>
    ports
      .command(name, { isDefault })
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
      .addOption(pathFlags.config())
      .addOption(pathFlags.state());
  sub("list", "the ports, with the call, the session and the agent of each", true)
    .option("--json", "as one JSON object")
    .addHelpText(
      "after",
      `
A call is listed once it has run for a second. Boxes that have the whole network are not: their ports are this machine's.

Examples:
  sallyport ports
  sallyport ports list --json`,
    )
    .action((flags) => run(async () => (await import("./ports-list.ts")).portsListCommand(flags, terminal)));
  sub("forward", "an address of this machine that leads to one of them, until the call ends or you press Ctrl-C")
    .argument("<PORT>", "the port in the box")
    .argument("[CALL]", "the call, as list shows it, or its beginning (else the only one that has this port)")
    .option("--port <N>", "the port of the address (else any that is free)")
    .option("--json", "the address as one JSON object")
    .addHelpText(
      "after",
      `
The address is for you alone. Connections of other users and of other machines are refused, and no box reaches it unless
its agent was granted the whole network. What you open there is made by an agent's program. In your browser it reaches
the internet, which the box may not.

Examples:
  sallyport ports forward 5173
  sallyport ports forward 5173 3f2a --port 8000`,
    )
    .action((port: string, call: string | undefined, flags) =>
      run(async () => (await import("./ports-forward.ts")).portsForwardCommand(port, call, flags, terminal)),
    );
}
