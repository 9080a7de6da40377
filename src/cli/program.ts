// The commands, their flags and their help. No command is implemented here: each action loads the file that does the work.

import { Argument, Command, Option } from "commander";
import { addAudit } from "./audit/audit-commands.ts";
import { addChanges } from "./changes/changes-commands.ts";
import { exitCode, exitCodeText } from "./exit-code.ts";
import { addGateFlags, pathFlags, type Run } from "./gate-flags.ts";
import { addHook } from "./hook/hook-commands.ts";
import { addMcp } from "./mcp/mcp-flags.ts";
import { addPolicy } from "./policy/policy-commands.ts";
import { addPorts } from "./ports/ports-commands.ts";
import { addReview, allowAllFlag } from "./review/review-flags.ts";
import { addDevices } from "./devices/devices-commands.ts";
import { addInit } from "./init/init-commands.ts";
import { addRun } from "./run/run-commands.ts";
import { addServe } from "./serve/serve-flags.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";
import { addWorker } from "./worker/worker-commands.ts";

export async function runProgram(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = exitCode.ok;
  const texts: [screen: "out" | "err", text: string][] = [];
  const named = argv[0] ?? "";
  const run: Run = async (work) => {
    code = await work();
  };
  // If a command is named, only that one is built. Completion describes all of them.
  const only = named !== "completion" && commands.has(named) ? named : undefined;
  const program = createProgram(terminal, run, only);
  const everywhere = (command: Command): void => {
    command.exitOverride().configureOutput({
      writeOut: (text) => void texts.push(["out", text]),
      writeErr: (text) => void texts.push(["err", text]),
      outputError: () => undefined, // main prints the error in its own words
      getOutHelpWidth: () => Math.min(terminal.out.width, 100),
      getErrHelpWidth: () => Math.min(terminal.err.width, 100),
      getOutHasColors: () => terminal.out.hasColour,
      getErrHasColors: () => terminal.err.hasColour,
    });
    command.commands.forEach(everywhere);
  };
  everywhere(program);
  try {
    await program.parseAsync([...argv], { from: "user" });
  } finally {
    for (const [screen, text] of texts) await terminal[screen].write(text);
  }
  return code;
}

type AddCommand = (program: Command, terminal: Terminal, run: Run) => void;

/** In the order of the help. */
const commands: ReadonlyMap<string, AddCommand> = new Map([
  ["run", addRun],
  ["mcp", addMcp],
  ["call", addCall],
  ["exec", addExec],
  ["git", addGit],
  ["hook", addHook],
  ["policy", addPolicy],
  ["review", addReview],
  ["changes", addChanges],
  ["ports", addPorts],
  ["serve", addServe],
  ["devices", addDevices],
  ["worker", addWorker],
  ["audit", addAudit],
  ["doctor", addDoctor],
  ["init", addInit],
  ["demo", addDemo],
  ["completion", addCompletion],
]);

/** The commands with their flags. The documents are generated from them as well. */
export function createProgram(terminal: Terminal, run: Run, only?: string): Command {
  const bold = (text: string) => `\u001b[1m${text}\u001b[0m`;
  const program = new Command("sallyport")
    .description(
      "The one gate between an AI agent and a machine: every call is judged, boxed by the kernel, and written down.",
    )
    .version(version(), "-V, --version", "show the version")
    .configureHelp({ styleTitle: bold, subcommandTerm: (command) => command.name() })
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .enablePositionalOptions()
    .addHelpText(
      "after",
      `
Examples:
  sallyport run claude                                     a whole agent in a draft of this project
  sallyport init                                           put it between your agent and this machine
  sallyport demo                                           see it work, in a throw-away place
  sallyport doctor                                         what holds on this machine
  sallyport exec -- ls -l                                  run a program in the box, see it live
  sallyport call Exec '{"argv":["/bin/echo","hi"]}'        the same call as an agent makes it
  sallyport review                                         answer what waits for a person
  sallyport changes                                        what agents changed and what has not landed
  sallyport serve                                          the same, and the record, as a web page
  sallyport audit list                                     what was asked, decided and done

${exitCodeText}`,
    );
  for (const [name, add] of commands) if (only === undefined || only === name) add(program, terminal, run);
  return program;
}

function addCall(program: Command, terminal: Terminal, run: Run): void {
  const command = addGateFlags(program.command("call"))
    .summary("make one call; one JSON reply")
    .description("Makes one call and prints one JSON reply, on one line.")
    .addArgument(new Argument("[TOOL]", "the tool, such as Exec"))
    .addArgument(
      new Argument("[JSON]", "its arguments as a JSON object; - reads them from standard input; none means {}"),
    )
    .addOption(allowAllFlag())
    .option("--dry-run", "show what would happen and what would be said to it; run nothing")
    .option("--json", "with --dry-run or --help: as JSON")
    // Replaces commander's help option, because with a tool the help is about the tool.
    .helpOption(false)
    .option("-h, --help", "show help; with TOOL, what that tool takes")
    .addHelpText(
      "after",
      `
Examples:
  sallyport call Exec '{"argv":["/bin/ls","-l"]}'
  echo '{"argv":["/bin/cat"],"stdin":"hello"}' | sallyport call Exec -
  sallyport call Exec '{"argv":["/usr/bin/id"]}' --dry-run
  sallyport call Exec --help

Exit code: 0 for {"ok":true,...}, whatever the program itself answered; 1 for {"ok":false,...}; 2 for wrong use.`,
    );
  command.action(async (tool: string | undefined, json: string | undefined, flags) => {
    if (tool === undefined && flags.help === true) return command.outputHelp();
    if (tool === undefined)
      throw new UsageError("call: no tool is named", 'For example: sallyport call Exec \'{"argv":["/bin/ls"]}\'');
    await run(async () => {
      const { callCommand, toolHelpCommand } = await import("./call/call.ts");
      return flags.help === true
        ? await toolHelpCommand(tool, flags, terminal)
        : await callCommand(tool, json, flags, terminal);
    });
  });
}

function addExec(program: Command, terminal: Terminal, run: Run): void {
  addGateFlags(program.command("exec"))
    .summary("run one program in the box, live")
    .description(
      "Runs one program as the Exec tool does, prints what it prints as it comes, and ends with its exit code.",
    )
    .argument("<ARGV...>", "the program and its arguments, after --")
    .option("--script", "ARGV is one text instead: a script, which bash runs as the Bash tool does")
    .option("--cwd <DIR>", "where it starts (else the project if granted, else /tmp)")
    .option("--env <NAME=VALUE>", "a variable for it; can be repeated", (text: string, all: string[] | undefined) => [
      ...(all ?? []),
      text,
    ])
    .option("--timeout <SECONDS>", "when it is ended (else 60; a script 120)")
    .addOption(allowAllFlag())
    .option("--stdin", "pass on standard input: text, read whole before the program starts")
    .option("--raw", "on a terminal: let its control characters through")
    .passThroughOptions()
    .usage("[options] -- ARGV...")
    .addHelpText(
      "after",
      `
No shell reads ARGV. A bare name is looked for in /usr/local/bin, /usr/bin and /bin; ./name is meant from where the
program starts. On a terminal, control characters in its output are shown (\\x1b) instead of obeyed, because what a
program prints for an agent is not to be trusted with your screen; into a pipe or a file every byte goes as it is.

Examples:
  sallyport exec -- ls -l
  sallyport exec --timeout 5 --env DEBUG=1 -- ./build.sh
  sallyport exec --stdin -- wc -l < notes.txt
  sallyport exec --script -- 'npm test 2>&1 | tail -20'

Exit code: the program's own, or 128+n when signal n ended it; 124 its time was up; 126 refused, nothing ran;
127 no such program; 2 wrong use or a wrong configuration.`,
    )
    .action((argv: string[], flags) =>
      run(async () => (await import("./call/exec.ts")).execCommand(argv, flags, terminal)),
    );
}

function addGit(program: Command, terminal: Terminal, run: Run): void {
  addGateFlags(program.command("git"))
    .summary("ask a repository something, read-only, live")
    .description("Asks the Git tool as one types git: status, log, diff, show, branch, blame, ls-files or rev-parse.")
    .argument("<WORDS...>", "the operation, its flags, a revision, and a path after --")
    .addOption(allowAllFlag())
    .option("--repo <DIR>", "the repository (else the one around the project)")
    .option("--raw", "on a terminal: let control characters through")
    .passThroughOptions()
    .usage("[options] OPERATION [FLAGS...] [REVISION] [-- PATH]")
    .addHelpText(
      "after",
      `
Nothing in the repository is changed or executed: its configuration is not in force, and the box is read-only.

Examples:
  sallyport git status
  sallyport git log --oneline -n 5
  sallyport git diff --stat main..feature -- src
  sallyport git blame -L 10,20 README.md

Exit code: git's own; 126 refused, nothing ran; 2 wrong use.`,
    )
    .action((words: string[], flags) =>
      run(async () => (await import("./call/git.ts")).gitCommand(words, flags, terminal)),
    );
}

function addDoctor(program: Command, terminal: Terminal, run: Run): void {
  program
    .command("doctor")
    .summary("what holds on this machine, and what is granted")
    .description(
      "Shows what the box can hold on this machine, the configuration in force, and what would mend what is missing.",
    )
    .addOption(pathFlags.project())
    .addOption(new Option("--workspace <DIR>", "the files that agents change: draft, memory, or a directory"))
    .addOption(pathFlags.config())
    .addOption(pathFlags.state())
    .option("--json", "as one JSON object")
    .option("--notify", "send a trial by each way of `notify` instead, and say what came of it")
    .addHelpText("after", "\nExit code: 0 when calls can run here, 1 when they cannot, or a trial did not go.")
    .action((flags) => run(async () => (await import("./doctor/doctor.ts")).doctorCommand(flags, terminal)));
}

function addDemo(program: Command, terminal: Terminal, run: Run): void {
  program
    .command("demo")
    .summary("an agent at work, or a one-minute tour")
    .description(
      "While `sallyport serve` runs: a scripted agent mends a program and asks to push it, and you decide on the page. Otherwise a one-minute tour with real calls, refused ones included. Both in a throw-away place.",
    )
    .option("--fast", "without pauses")
    .option("--tour", "the tour, also while a page is open")
    .addOption(pathFlags.state())
    .action((flags) => run(async () => (await import("./demo/demo.ts")).demoCommand(flags, terminal)));
}

function addCompletion(program: Command, terminal: Terminal, run: Run): void {
  program
    .command("completion")
    .summary("completion for bash or zsh")
    .description("Prints a script that completes commands and flags.")
    .addArgument(new Argument("<SHELL>", "the shell").choices(["bash", "zsh"]))
    .addHelpText(
      "after",
      "\nExamples:\n  source <(sallyport completion bash)\n  sallyport completion zsh > ~/.zfunc/_sallyport",
    )
    .action((shell: "bash" | "zsh") =>
      run(async () => (await import("./describe-program.ts")).completionCommand(shell, program, terminal)),
    );
}
