// `sallyport init`: its flags and its help.

import type { Command } from "commander";
import { pathFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addInit(program: Command, terminal: Terminal, run: Run): void {
  program
    .command("init")
    .summary("put Sallyport into the agents on this machine")
    .description(
      "Finds the agents on this machine, shows what it would add to their configuration, asks, and adds it. Nothing that is there is overwritten.",
    )
    .option("--print [AGENT]", "print what to paste, for one agent or for all; `config` is the starter configuration")
    .option(
      "--agent-app <NAME>",
      "only this agent, also where it was not found",
      (name: string, all: string[] | undefined) => [...(all ?? []), name],
    )
    .option("--user", "in the user's own files: for every project")
    .option("--project [DIR]", "in the project's files: for everyone who has the project (else the current directory)")
    .option("--yes", "add without asking; it needs a terminal all the same")
    .option("--undo", "take out what was added, where it is unchanged")
    .option("--toolchains", "add grants for your own programs outside /usr (nvm, pyenv, cargo, …), and nothing else")
    .option("--json", "what would be done, as one JSON object; nothing is changed")
    .addOption(pathFlags.config())
    .addHelpText(
      "after",
      `
Agents: claude-code, codex, gemini-cli, cursor, vscode, copilot-cli, opencode, zed, windsurf. Without --user or
--project each gets the file that suits it: the user's, but for Cursor the project's.

Files are changed only from a terminal, with --yes too, so that an agent which starts programs does not change its own
configuration in passing. Scripts can place what --print prints. Only --toolchains needs no terminal.

Examples:
  sallyport init
  sallyport init --agent-app codex --yes
  sallyport init --project --agent-app claude-code
  sallyport init --print claude-code
  sallyport init --toolchains
  sallyport init --undo

Exit code: 0 when all is as it was wanted, 1 when something could not be changed, 2 for wrong use.`,
    )
    .action((flags) => run(async () => (await import("./init.ts")).initCommand(flags, terminal)));
}
