// The command line as the documents show it, read from the objects that parse it.

import type { Command } from "commander";
import { exitCode } from "../src/cli/exit-code.ts";
import { createProgram } from "../src/cli/program.ts";
import { openTerminal } from "../src/cli/terminal/terminal.ts";

const program = createProgram(openTerminal({}), async () => {});

/** The page of a command, where it has one. */
const pages: Readonly<Record<string, string>> = {
  init: "agents.md",
  mcp: "mcp.md",
  serve: "web.md",
  git: "git.md",
  policy: "policy.md",
  review: "approvals.md",
  worker: "worker.md",
  changes: "changes.md",
  audit: "results.md#the-record",
};

const exitCodes: Record<keyof typeof exitCode, readonly [code: string, meaning: string]> = {
  ok: ["", "it worked; what a program itself answered is in the reply"],
  refused: [
    "",
    "refused, not found, or something is wrong: `call`, `policy`, `review`, `changes`, `worker check`, `audit show`, `audit verify`, `doctor`, `init`, `demo`",
  ],
  usage: ["", "wrong use, or a configuration or record that cannot be opened: nothing was tried"],
  fault: ["", "a fault in Sallyport itself; the answer was no"],
  timedOut: ["", "`exec`: the program's time was up"],
  execRefused: ["", "`exec` and `git`: refused, nothing ran"],
  execNotFound: ["", "`exec`: there is no such program"],
  signal: [
    "+n",
    "ended by signal n before it was done: 130 is Ctrl-C, 143 SIGTERM. Of `exec`: signal n ended the program",
  ],
  brokenPipe: ["", "the reader of the output went away"],
};

export function commandRows(): string[][] {
  return program.commands.flatMap((command) => [
    commandRow(command, `\`sallyport ${wordsOf(command)}\``),
    ...command.commands.map((sub) => commandRow(sub, `\`sallyport ${command.name()} ${wordsOf(sub)}\``)),
  ]);
}

function commandRow(command: Command, shown: string): string[] {
  const page = command.parent === program ? pages[command.name()] : undefined;
  return [page === undefined ? shown : `[${shown}](${page})`, command.summary()];
}

function wordsOf(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const name = `${(argument.argChoices?.join("|") ?? argument.name()).replaceAll("|", "\\|")}${argument.variadic ? "..." : ""}`;
    return argument.required ? name : `[${name}]`;
  });
  return [command.name(), ...words].join(" ");
}

/** The flags of one command. */
export function flagRows(name: string): string[][] {
  const command = program.commands.find((one) => one.name() === name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  return command.options.filter(({ hidden }) => !hidden).map(({ flags, description }) => [`\`${flags}\``, description]);
}

export function exitCodeRows(): string[][] {
  return (Object.keys(exitCodes) as (keyof typeof exitCode)[]).map((name) => [
    `${exitCode[name]}${exitCodes[name][0]}`,
    exitCodes[name][1],
  ]);
}
