// Exec: runs one program from a list of arguments. No shell, no search path, no inherited environment.

import { statSync } from "node:fs";
import { buildEnvironment } from "../process/environment.ts";
import { isProgram } from "../process/find-on-path.ts";
import { type ResolvedPath, resolvePath } from "../process/real-path.ts";
import { limits } from "../shared/limits.ts";
import { isAbsolutePath, tidyPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { argumentsProblem } from "./programs/arguments-problem.ts";
import { type ExecArguments, execArgumentsSchema, execResultSchema } from "./programs/exec-schema.ts";
import { execShape } from "./programs/exec-shape.ts";
import { readExecution } from "./programs/execution-result.ts";
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
  const program = (await ownProgram(name, context)) ?? findProgram(name);
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

/** A program in a workspace that programs see at a path of the disk, such as a draft. Null if it is none. */
async function ownProgram(name: string, { workspace, files }: PlanContext): Promise<Result<ResolvedPath> | null> {
  const own = isAbsolutePath(name) ? workspace.ownFile(name) : null;
  const real = workspace.onDisk(workspace.spelled(tidyPath(name)));
  if (own?.ok !== true || real === null) return null;
  const found = await files.resolve(own.value);
  const entry = found.ok ? await files.entry(found.value) : undefined;
  return entry?.kind === "file" && entry.executable ? ok({ real, exists: true, links: [] }) : null;
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
