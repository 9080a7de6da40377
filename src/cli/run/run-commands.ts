// The flags and the help of `sallyport run`.

import type { Command } from "commander";
import { addGateFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ModelHost } from "./agent-profile.ts";
import { agentProfiles } from "./profiles.ts";

export function addRun(program: Command, terminal: Terminal, run: Run): void {
  addGateFlags(program.command("run"))
    .summary("run a whole agent in a draft of this project")
    .description(
      "Runs a whole agent, or any program, in a box. It works on a draft of the project, and nothing changes until you land it.",
    )
    .argument("<PROGRAM>", "a name on your PATH, or a path")
    .argument("[ARGUMENT...]", "its arguments")
    .passThroughOptions()
    .usage("[options] [--] PROGRAM [ARGUMENT...]")
    .addHelpText(
      "after",
      `
On a terminal the program has a terminal of its own in the box: colours, keys, Ctrl-C and the window's size work as usual.
Otherwise it has your standard input, output and error. All that it started ends with it.

Without --session the session is named after the program, and begins with the project as it is. With --session an earlier one
goes on, and a second terminal joins one that runs. Hosts that no grant covers are asked about while it runs: on the page, whose
address is printed first, or with \`sallyport review\`. Without a configuration the program may try any host.

Known agents, which need no configuration: their own sandbox, questions, updates and reports are off, and the gate adds your key to
their requests outside the box.
${agentProfiles.map(({ title, programs, models }) => `  ${programs.join(", ").padEnd(10)} ${title}; key: ${keysOf(models)}`).join("\n")}
Any other program runs as a plain command: grant its hosts, and keys for them, in the configuration.

Examples:
  sallyport run claude
  sallyport run -- npm test
  sallyport run --session claude -- bash
  sallyport changes land claude

Exit code: the program's own, or 128+n when signal n ended it; 126 refused, nothing ran; 2 wrong use or a wrong configuration.`,
    )
    .action((named: string, rest: string[], flags) =>
      run(async () => (await import("./run.ts")).runCommand([named, ...rest], flags, terminal)),
    );
}

function keysOf(models: readonly ModelHost[]): string {
  return models.flatMap(({ keys }) => keys.map(({ variable }) => variable)).join(" or ");
}
