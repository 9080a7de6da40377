// The flags and the help of `review`.

import { type Command, Option } from "commander";
import { scopes } from "../../approval/offer.ts";
import { pathFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addReview(program: Command, terminal: Terminal, run: Run): void {
  program
    .command("review")
    .summary("answer what waits for a person")
    .description(
      "Shows the questions that wait for an answer, of every project, and takes the answers. Live; a key chooses an answer, Enter says a yes.",
    )
    .argument("[ID]", "opens this question")
    .addOption(new Option("--allow <SCOPE>", "answer yes to ID, for so long").choices([...scopes]))
    .option("--set", "with --allow: for the whole set that the host belongs to, such as npm")
    .option("--deny", "answer no to ID, once")
    .option("--reason <TEXT>", "with --deny: why, for the agent")
    .option("--once", "print what waits and end")
    .option("--diff", "of a push: print what it changes, as `git apply` takes it")
    .option("--json", "what waits, as one JSON array")
    .option("--staged", "with --json: staged commits too, as objects of the kind `staged`")
    .addOption(pathFlags.state())
    .addOption(pathFlags.config().hideHelp())
    .addOption(pathFlags.project().hideHelp())
    .addHelpText(
      "after",
      `
Keys: j k and arrows move, Enter opens, space and PgDn show more, a says yes as far as the first answer says, r says no
and asks why, ? shows the rest, q goes back and quits. t shows the questions that ask for the same, whole, for one
answer; f has the order and the filters, / looks for a text. While it is open, calls wait for it. Of a push, d or Enter shows
a file's diff, n and p the next and the one before; a file that was not looked at is marked, and a yes asks once more.

Below the questions stand sessions with work that has not landed, as in \`sallyport changes list\`. Enter opens one: l lands
it on a branch, c its commits, h puts it into the files, x discards it.

Answers need a terminal of yours: none is taken from a pipe. Without one, what waits is printed.

Examples:
  sallyport review
  sallyport review q-1f2e3d4c
  sallyport review q-1f2e3d4c --allow once
  sallyport review q-1f2e3d4c --diff | less
  sallyport review q-1f2e3d4c --deny --reason "use the test database"

Exit code: 0 when all went well; 1 when no such question waits or the answer does not count; 2 for wrong use, or without
a terminal to answer on.`,
    )
    .action((id: string | undefined, flags) =>
      run(async () => (await import("./review.ts")).reviewCommand(id, flags, terminal)),
    );
}

/** The flag of every command that makes calls. */
export function allowAllFlag(): Option {
  return new Option("--dangerously-allow-all", "answer every question yes, unread; denials and pushes stay");
}
