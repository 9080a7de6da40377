// Run: starts a program for as long as it likes, such as a whole agent. Only `sallyport run` registers it: no agent can call it.

import { z } from "zod";
import type { ViewFile } from "../action/action.ts";
import { boxProgram } from "../process/box-path.ts";
import { workEnvironment } from "../process/box-environment.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { withBoxHint } from "./programs/after-run.ts";
import { argumentsProblem } from "./programs/arguments-problem.ts";
import { readExecution } from "./programs/execution-result.ts";
import { executionResult } from "./programs/execution-schema.ts";
import { findStarted } from "./programs/find-started.ts";
import { networkVariables } from "./programs/needed-hosts.ts";
import { environmentArgument } from "./programs/program-arguments.ts";
import { resolveWorkingDirectory } from "./programs/working-directory.ts";
import type { Plan, PlanContext, StepOutcome, Tool } from "./tool.ts";

const runArguments = z.strictObject({
  argv: z
    .array(z.string())
    .min(1)
    .describe("The program, by its name on PATH or its absolute path, and its arguments."),
  env: environmentArgument.optional(),
});

type RunArguments = z.infer<typeof runArguments>;

export const RUN = "Run";

/** What a box gets beside the program, so that it reaches the gate. */
export interface InsideParts {
  readonly files: readonly ViewFile[];
  /** A directory of PATH, before all others. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** `inside`: null where the programs cannot reach the gate. */
export function createRunTool(inside: InsideParts | null): Tool<RunArguments> {
  return {
    name: RUN,
    title: "Run an agent",
    description: "Runs a program in a box, in the workspace, until it ends.",
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: "granted" },
    arguments: runArguments,
    result: executionResult,
    plan: (args, context) => planRun(args, context, inside),
  };
}

async function planRun(
  { argv, env = {} }: RunArguments,
  context: PlanContext,
  inside: InsideParts | null,
): Promise<Result<Plan>> {
  const path = context.programs.directories();
  const name = argv[0] as string;
  const found = name.includes("/") ? name : boxProgram(name, path, context.capability);
  if (found === undefined)
    return fail("invalid_args", `There is no program ${JSON.stringify(name)}.`, {
      hint: "Name one that your own PATH finds, or write its path.",
    });
  const program = await findStarted(found, context);
  if (!program.ok) return program;
  const network = networkVariables(context.network, context.capability);
  const environment = workEnvironment(env, {
    path: inside === null ? path : [inside.directory, ...path],
    network,
    home: context.workspace.home,
    user: context.user,
    more: inside?.environment,
  });
  if (!environment.ok) return environment;
  const started = [found, ...argv.slice(1)];
  const problem = argumentsProblem(started, environment.value);
  if (problem !== null) return fail("invalid_args", problem, { hint: "Put long data into a file." });
  const directory = await resolveWorkingDirectory(context.workspace.path, "cwd", context);
  if (!directory.ok) return directory;
  return ok({
    kind: "programs",
    steps: [
      {
        program: program.value.real,
        argv: started,
        cwd: directory.value.path,
        environment: environment.value,
        stdin: null,
        timeoutMs: limits.runTimeoutS * 1000,
        stdoutBytes: limits.outputMinBytes, // the person sees all of it
        stderrBytes: limits.outputMinBytes,
        files: inside?.files ?? [],
      },
    ],
    reads: [program.value.real, ...directory.value.reads],
    links: [...program.value.links, ...directory.value.links],
    access: { mode: "rw", writes: [] },
    network: inside === null ? "granted" : { hosts: [] },
    limits: "work",
    effects: [],
    startsIn: directory.value,
    stopsAtFailure: true,
    read: (outcomes) => withBoxHint(readExecution(outcomes[0] as StepOutcome)),
  });
}
