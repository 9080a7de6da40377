// `sallyport worker`: its subcommands, their flags and their help.

import type { Command } from "commander";
import { pathFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addWorker(program: Command, terminal: Terminal, run: Run): void {
  const worker = program
    .command("worker")
    .summary("worker files: check")
    .description(
      "Looks at worker files: Markdown whose frontmatter says where commits go and what a worker may not do.",
    )
    .addHelpText("after", "\nExamples:\n  sallyport worker check report-writer.md");
  worker
    .command("check")
    .summary("what a worker file says, or what is wrong with it")
    .description(
      "Reads a worker file, tries the examples of its rules, and says what it means or what is wrong, and where.",
    )
    .argument("<FILE>", "the worker file")
    .addOption(pathFlags.project())
    .addOption(pathFlags.config().hideHelp())
    .addOption(pathFlags.state().hideHelp())
    .option("--json", 'as {"ok","worker","errors"}')
    .addHelpText(
      "after",
      `
Examples:
  sallyport worker check report-writer.md
  sallyport worker check report-writer.md --project ~/site --json

Exit code: 0 when all is in order, 1 when it is not.`,
    )
    .action((file: string, flags) =>
      run(async () => (await import("./worker.ts")).workerCheckCommand(file, flags, terminal)),
    );
}
