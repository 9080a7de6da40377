// Exec: runs one program from a list of arguments. No shell, no search path, no inherited environment.

import { buildEnvironment } from "../process/environment.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { argumentsProblem } from "./programs/arguments-problem.ts";
import { type ExecArguments, execArgumentsSchema, execResultSchema } from "./programs/exec-schema.ts";
import { execShape } from "./programs/exec-shape.ts";
import { readExecution } from "./programs/execution-result.ts";
import { findStarted } from "./programs/find-started.ts";
import type { Registry } from "./registry.ts";
import type { Plan, PlanContext, StepOutcome, Tool } from "./tool.ts";
import { resolveWorkingDirectory } from "./programs/working-directory.ts";

const execTool: Tool<ExecArguments> = {
  name: "Exec",
  title: "Run a program",
  description:
    "Runs one program from a list of arguments, in a box that shows it only what this agent may see. " +
    "There is no shell: nothing in an argument is expanded. argv[0] is an absolute path.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: "granted" },
  shape: execShape,
  get arguments() {
    return execArgumentsSchema();
  },
  get result() {
    return execResultSchema();
  },
  plan: planExec,
};

export function registerExecTool(registry: Registry): void {
  registry.register(execTool);
}

async function planExec(args: ExecArguments, context: PlanContext): Promise<Result<Plan>> {
  const name = args.argv[0] as string;
  const program = await findStarted(name, context);
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
    keepsPartial: args.keep_partial === true,
    read: (outcomes) => readExecution(outcomes[0] as StepOutcome),
  });
}
