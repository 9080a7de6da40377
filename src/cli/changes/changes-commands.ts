// `sallyport changes`: its subcommands, their flags and their help.

import type { Command } from "commander";
import { pathFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

const sessionText = "a session, or a draft, as list shows them (else the only one of this project)";

export function addChanges(program: Command, terminal: Terminal, run: Run): void {
  const changes = program
    .command("changes")
    .summary("what sessions have not landed: list, diff, land, discard, export")
    .description("Shows what agents have changed in their drafts and what has not landed, and decides about it.")
    .addHelpText(
      "after",
      `
Examples:
  sallyport changes
  sallyport changes diff fix-login src --stat
  sallyport changes land fix-login --here
  sallyport changes discard fix-login

Exit code: 0 when all went well; 1 when there is no such session, or it was refused; 2 for wrong use.`,
    );
  const sub = (name: string, summary: string, isDefault = false): Command =>
    changes
      .command(name, { isDefault })
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
      .addOption(pathFlags.project())
      .addOption(pathFlags.config())
      .addOption(pathFlags.state());
  sub("list", "sessions with work that has not landed, of every project", true)
    .option("--here", "only of this project")
    .option("--discarded", "those that were discarded within the last day")
    .option("--json", "as one JSON object")
    .action((flags) => run(async () => (await import("./changes-list.ts")).changesListCommand(flags, terminal)));
  sub("diff", "what a session has changed since it began and what has not landed")
    .argument("[SESSION]", sessionText)
    .argument("[PATH...]", "only these files and directories of the project")
    .option("--stat", "only the numbers of lines, a line for each file")
    .option("--json", "the files and the numbers of their lines, as one JSON object")
    .addHelpText(
      "after",
      `
On a terminal, nothing that an agent wrote can act on the screen. Into a pipe or a file the diff goes as it is.

Examples:
  sallyport changes diff
  sallyport changes diff fix-login src/login.ts
  sallyport changes diff fix-login --stat
  sallyport changes diff fix-login > login.patch`,
    )
    .action((session: string | undefined, paths: string[], flags) =>
      run(async () => (await import("./changes-diff.ts")).changesDiffCommand(session, paths, flags, terminal)),
    );
  sub("land", "put what a session has changed into the project, after you have seen it")
    .argument("[SESSION]", sessionText)
    .argument("[PATH...]", "only these files and directories of the project")
    .option("--branch <BRANCH>", "as one commit on this branch (else sallyport/SESSION)")
    .option("--message <TEXT>", "of that commit")
    .option("--commits", "the commits that were made inside, one by one; what is not committed stays behind")
    .option("--here", "into the files of the project as they are now, without a commit")
    .option("--yes", "without being asked")
    .addHelpText(
      "after",
      `
Shows the diff, and asks. The commit is yours, as with a push of the agent. --here merges with what you have changed meanwhile: files that both have changed in the same
place get git's conflict marks (<<<<<<<). A file that you have changed and the session has deleted, or that is not text,
stays as it is and is named.

Examples:
  sallyport changes land fix-login
  sallyport changes land fix-login --branch fix-login --message "Mend the login"
  sallyport changes land fix-login --commits
  sallyport changes land fix-login src --here`,
    )
    .action((session: string | undefined, paths: string[], flags) =>
      run(async () => (await import("./changes-land.ts")).changesLandCommand(session, paths, flags, terminal)),
    );
  sub("export", "what a session has changed, as a patch or as a git bundle")
    .argument("[SESSION]", sessionText)
    .argument("[PATH...]", "of a patch: only these files and directories of the project")
    .option(
      "--patch <FILE>",
      "one diff of all that has not landed, for `git apply`; - is standard output, and the default",
    )
    .option("--bundle <FILE>", "the commits made inside, for `git fetch FILE HEAD`; - is standard output")
    .addHelpText(
      "after",
      `
FILE must not be there yet. What is in it is the agent's: nobody has reviewed it.

Examples:
  sallyport changes export fix-login --patch login.patch
  sallyport changes export fix-login src | git apply
  sallyport changes export fix-login --bundle login.bundle`,
    )
    .action((session: string | undefined, paths: string[], flags) =>
      run(async () => (await import("./changes-export.ts")).changesExportCommand(session, paths, flags, terminal)),
    );
  sub("discard", "throw away what a session has changed; it is kept for a day")
    .argument("[SESSION]", sessionText)
    .option("--yes", "without being asked")
    .option("--end", "also ends a program of the session that runs")
    .addHelpText(
      "after",
      `
Shows what would be lost, and asks. While a program of the session runs, it asks once more, whether to end that; with --yes it
is refused without --end. The next call of the session begins another draft.

Examples:
  sallyport changes discard fix-login
  sallyport changes list --discarded
  sallyport changes restore fix-login`,
    )
    .action((session: string | undefined, flags) =>
      run(async () => (await import("./changes-discard.ts")).changesDiscardCommand(session, flags, terminal)),
    );
  sub("restore", "take back what was discarded within the last day")
    .argument("[SESSION]", sessionText)
    .addHelpText("after", "\nExamples:\n  sallyport changes restore fix-login")
    .action((session: string | undefined, flags) =>
      run(async () => (await import("./changes-discard.ts")).changesRestoreCommand(session, flags, terminal)),
    );
}
