// `sallyport hook`: its flags and its help.

import type { Command } from "commander";
import { addGateFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addHook(program: Command, terminal: Terminal, run: Run): void {
  addGateFlags(program.command("hook"))
    .summary("what a client's own hook calls")
    .description(
      "Reads what a client says before it runs one of its own tools, and answers it. A command for its shell is judged and, unless it is refused, rewritten so that the gate runs it. Other tools are recorded as what the agent says, and left alone.",
    )
    .argument("<CLIENT>", "claude, codex, gemini or opencode")
    .addHelpText(
      "after",
      `
This is a convenience and not a boundary: if the hook is missing, fails to start or is slow, the client runs the command
all the same, and its editor does not pass through here. \`sallyport run\` puts the whole client into a box.

docs/agents.md has what to paste into each client. Without --workspace, commands change the project itself, where the
client's editor works, too; without --project, the project is the one that the client names.

Exit code: 0 with an answer, or with none where the client goes on; 2 if the tool is refused because its input cannot be
judged.`,
    )
    .action((client: string, flags) =>
      run(async () => (await import("./hook.ts")).hookCommand(client, flags, terminal)),
    );
}
