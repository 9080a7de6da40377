// `sallyport audit`: its subcommands, their flags and their help.

import type { Command } from "commander";
import { pathFlags, type Run } from "../gate-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addAudit(program: Command, terminal: Terminal, run: Run): void {
  const audit = program
    .command("audit")
    .summary("look at the record: list, show, verify, export, stats")
    .description("Looks at the record of everything that was asked, decided and done.")
    .addHelpText(
      "after",
      `
Examples:
  sallyport audit list --since 2h --event denied
  sallyport audit show 17
  sallyport audit verify --json
  sallyport audit export > log.jsonl`,
    );
  const sub = (name: string, summary: string): Command =>
    audit
      .command(name)
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
      .addOption(pathFlags.state())
      // The record depends on neither flag. They are accepted for people who pass the same flags to every command.
      .addOption(pathFlags.config().hideHelp())
      .addOption(pathFlags.project().hideHelp());
  const filtered = (command: Command): Command =>
    command
      .option("--session <NAME>", "only this session")
      .option("--agent <NAME>", "only this agent")
      .option("--tool <NAME>", "only this tool")
      .option("--event <EVENT>", "only this event, such as tool.call.denied or just denied")
      .option("--call <ID>", "only this call")
      .option("--since <TIME>", "from then on: 2h, 3d, 2026-01-31, 2026-01-31T12:00")
      .option("--until <TIME>", "before then")
      .option("--text <TEXT>", "only entries that hold this text, in any case")
      .option("--before <SEQ>", "only entries before this number: the next page")
      .option("--after <SEQ>", "only entries after this number");
  const load = () => import("./audit.ts");
  filtered(sub("list", "the newest entries first"))
    .option("--limit <N>", "at most so many", "50")
    .option("--json", "as one JSON array")
    .action((flags) => run(async () => (await load()).auditListCommand(flags, terminal)));
  sub("show", "the whole story of one call")
    .argument("<SEQ|CALL_ID>", "the number of any of its entries, or its id")
    .option("--json", "as one JSON array")
    .action((which: string, flags) => run(async () => (await load()).auditShowCommand(which, flags, terminal)));
  sub("verify", "check that no entry was changed, removed or added")
    .option("--json", 'as {"ok","entries","first_bad","reason"}')
    .addHelpText("after", "\nExit code: 0 when all is in order, 1 when it is not.")
    .action((flags) => run(async () => (await load()).auditVerifyCommand(flags, terminal)));
  filtered(sub("export", "every entry as a line of JSON, oldest first"))
    .option("--limit <N>", "at most so many")
    .option("--json", "as it is anyway")
    .action((flags) => run(async () => (await load()).auditExportCommand(flags, terminal)));
  sub("stats", "counts, refusals, durations, and calls without an end")
    .option("--json", "as one JSON object")
    .action((flags) => run(async () => (await load()).auditStatsCommand(flags, terminal)));
}
