// The schemas of Exec.

import { z } from "zod";
import { limits } from "../../shared/limits.ts";
import { executionResult } from "./execution-schema.ts";
import {
  argumentText,
  environmentArgument,
  outputArgument,
  partialArgument,
  stdinArgument,
  timeoutArgument,
} from "./program-arguments.ts";

const execArguments = z
  .strictObject({
    argv: z
      .array(argumentText)
      .min(1)
      .describe("The program by its absolute path, then its arguments, one an element. No shell reads them."),
    cwd: argumentText
      .optional()
      .describe("An absolute directory that the agent may see. Default: the project if granted, else /tmp."),
    env: environmentArgument
      .optional()
      .describe("Variables on top of PATH, HOME, LANG, LC_ALL, USER, TERM and SHELL. Nothing else is inherited."),
    stdin: stdinArgument
      .optional()
      .describe("Text for the program's standard input. Without it, standard input is empty."),
    timeout_s: timeoutArgument
      .optional()
      .describe(`Seconds until the program is ended. Default ${limits.timeoutDefaultS}.`),
    max_output_bytes: outputArgument
      .optional()
      .describe(`What is kept of each stream. Default ${limits.outputDefaultBytes}.`),
    keep_partial: partialArgument.optional(),
  })
  .meta({
    examples: [
      { argv: ["/bin/ls", "-l"] },
      { argv: ["/usr/bin/wc", "-w"], stdin: "three short words" },
      { argv: ["/usr/bin/env"], env: { GREETING: "hello" }, cwd: "/tmp", timeout_s: 5 },
    ],
  });

export type ExecArguments = z.infer<typeof execArguments>;

export function execArgumentsSchema(): z.ZodType<ExecArguments> {
  return execArguments;
}

export function execResultSchema(): z.ZodType {
  return executionResult;
}
