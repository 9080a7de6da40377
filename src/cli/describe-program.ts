// Describes the commands for completion, from the same objects that parse them.

import type { Command, Option } from "commander";
import {
  type CommandDescription,
  completionScript,
  type CompletionShell,
  type FlagDescription,
  type FlagValue,
} from "./completion.ts";
import { exitCode } from "./exit-code.ts";
import { commandRegistry } from "./command-registry.ts";
import type { Terminal } from "./terminal/terminal.ts";

export async function completionCommand(shell: CompletionShell, program: Command, { out }: Terminal): Promise<number> {
  await out.write(completionScript(shell, program.commands.map(describeCommand)));
  return exitCode.ok;
}

function describeCommand(command: Command): CommandDescription {
  const name = command.name();
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  const words = name === "call" && command.parent?.parent === null ? [...choices, ...commandRegistry().names] : choices;
  return {
    name,
    summary: command.summary(),
    flags: command.options.filter(({ hidden }) => !hidden).map(describeFlag),
    subcommands: command.commands.map(describeCommand),
    words,
  };
}

function describeFlag(option: Option): FlagDescription {
  return { name: option.long as string, takes: takes(option) };
}

function takes(option: Option): FlagValue {
  if (option.argChoices !== undefined) return option.argChoices;
  const value = /<(.+)>/.exec(option.flags)?.[1];
  if (value === undefined) return "none";
  return value === "FILE" ? "file" : value === "DIR" ? "directory" : "text";
}
