// Exec: runs one program from a list of arguments. No shell, no search path, no inherited environment.

import { z } from "zod";
import { statSync } from "node:fs";
import { buildEnvironment } from "../process/environment.ts";
import { isProgram } from "../process/find-on-path.ts";
import { type ResolvedPath, resolvePath } from "../process/real-path.ts";
import { limits } from "../shared/limits.ts";
import { isAbsolutePath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { executionResult, readExecution } from "./programs/execution-result.ts";
import {
  argumentsProblem,
  argumentText,
  environmentArgument,
  outputArgument,
  stdinArgument,
  timeoutArgument,
} from "./programs/program-arguments.ts";
import type { Registry } from "./registry.ts";
import type { Plan, PlanContext, StepOutcome, Tool } from "./tool.ts";
import { resolveWorkingDirectory } from "./programs/working-directory.ts";

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
  })
  .meta({
    examples: [
      { argv: ["/bin/ls", "-l"] },
      { argv: ["/usr/bin/wc", "-w"], stdin: "three short words" },
      { argv: ["/usr/bin/env"], env: { GREETING: "hello" }, cwd: "/tmp", timeout_s: 5 },
    ],
  });

type ExecArguments = z.infer<typeof execArguments>;

const execTool: Tool<ExecArguments> = {
  name: "Exec",
  title: "Run a program",
  description:
    "Runs one program from a list of arguments, in a box that shows it only what this agent may see. " +
    "There is no shell: nothing in an argument is expanded. argv[0] is an absolute path.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: "granted" },
  arguments: execArguments,
  result: executionResult,
  plan: planExec,
};

export function registerExecTool(registry: Registry): void {
  registry.register(execTool);
}

async function planExec(args: ExecArguments, context: PlanContext): Promise<Result<Plan>> {
  const program = findProgram(args.argv[0] as string);
  if (!program.ok) return program;
  const environment = buildEnvironment(args.env ?? {});
  if (!environment.ok) return environment;
  const problem = argumentsProblem(args.argv, environment.value);
  if (problem !== null) return fail("invalid_args", problem, { hint: "Put long data into stdin, or into a file." });
  const directory = await resolveWorkingDirectory(args.cwd, "cwd", context);
  if (!directory.ok) return directory;
  const outputBytes = args.max_output_bytes ?? limits.outputDefaultBytes;
  return ok({
    kind: "programs",
    steps: [
      {
        program: program.value.real,
        argv: args.argv,
        cwd: directory.value.path,
        environment: environment.value,
        stdin: args.stdin ?? null,
        timeoutMs: (args.timeout_s ?? limits.timeoutDefaultS) * 1000,
        stdoutBytes: outputBytes,
        stderrBytes: outputBytes,
        files: [],
      },
    ],
    reads: [program.value.real, ...directory.value.reads],
    links: [...program.value.links, ...directory.value.links],
    access: { mode: "rw", writes: [] },
    network: "granted",
    effects: [],
    startsIn: directory.value,
    stopsAtFailure: true,
    read: (outcomes) => readExecution(outcomes[0] as StepOutcome),
  });
}

function findProgram(name: string): Result<ResolvedPath> {
  const shown = JSON.stringify(name);
  if (!isAbsolutePath(name)) {
    return fail("invalid_args", `argv[0]: ${shown} is not an absolute path.`, {
      hint: "Name the program in full, like /usr/bin/grep. No search path is used.",
    });
  }
  const program = resolvePath(name);
  if (!program.exists)
    return fail("invalid_args", `argv[0]: there is no ${shown}.`, {
      hint: "Name a program that exists, by its absolute path.",
    });
  const found = statSync(program.real, { throwIfNoEntry: false });
  if (found?.isFile() !== true)
    return fail("invalid_args", `argv[0]: ${shown} is not a file.`, { hint: "Name a program." });
  if (!isProgram(program.real))
    return fail("invalid_args", `argv[0]: ${shown} is not executable.`, {
      hint: "Name a program; to read a file, use /bin/cat.",
    });
  return ok(program);
}
