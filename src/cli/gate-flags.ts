// The flags that several commands share: paths, and the agent and session of a call.

import { type Command, Option } from "commander";

/** Runs a command and keeps its exit code. */
export type Run = (work: () => Promise<number>) => Promise<void>;

export const pathFlags = {
  config: () =>
    new Option(
      "--config <FILE>",
      "the configuration (else $SALLYPORT_CONFIG, else config.yaml in ~/.config/sallyport)",
    ),
  state: () =>
    new Option("--state <DIR>", "where the record is kept (else $SALLYPORT_STATE, else ~/.local/state/sallyport)"),
  project: () => new Option("--project <DIR>", "the project (else the current directory)"),
};

export function addGateFlags(command: Command): Command {
  return command
    .addOption(pathFlags.project())
    .option("--agent <NAME>", "whose grants hold (else default)")
    .option("--session <NAME>", "the session (else one for this project and agent)")
    .addOption(new Option("--workspace <DIR>", "the files that agents change: draft, memory, or a directory"))
    .option("--worker <FILE>", "a worker's file: its target and pulls, and grants that narrow the agent's")
    .addOption(pathFlags.config())
    .addOption(pathFlags.state());
}
