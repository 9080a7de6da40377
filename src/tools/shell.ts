// Shell: runs commands as a person types them, without a shell. The gate splits each command into words, judges the words, and starts
// exactly those words in a box. It judges a whole list before it starts anything.

import { z } from "zod";
import type { Step } from "../action/action.ts";
import { limits } from "../shared/limits.ts";
import type { Failure } from "../shared/failure.ts";
import { ok, type Result } from "../shared/result.ts";
import { type AfterRun, withHint } from "./programs/after-run.ts";
import { type ExecutionResult, readExecution } from "./programs/execution-result.ts";
import { executionResult } from "./programs/execution-schema.ts";
import { argumentText, partialArgument } from "./programs/program-arguments.ts";
import type { Registry } from "./registry.ts";
import { type PlannedCommand, planCommand } from "./programs/shell-command.ts";
import type { Plan, PlanContext, StepOutcome, Tool } from "./tool.ts";
import { resolveWorkingDirectory } from "./programs/working-directory.ts";

const shellArguments = z
  .strictObject({
    command: z
      .union([z.string(), z.array(z.string()).min(1).max(limits.shellCommands)])
      .describe("One command, or a list that runs in order."),
    work_dir: argumentText
      .optional()
      .describe("An absolute directory that the agent may see. Default: the project if granted, else /tmp."),
    timeout: z
      .number()
      .min(1)
      .max(limits.shellTimeoutMaxS)
      .optional()
      .describe("Seconds until a command is ended, for each of a list. Default 900."),
    ignore_errors: z.boolean().optional().describe("Go on after a command that failed or was refused. Default false."),
    keep_partial: partialArgument.optional(),
  })
  .meta({
    examples: [{ command: "rg -n 'TODO|FIXME' src" }, { command: ["git log --oneline -20", "wc -l src/**/*.ts"] }],
  });

type ShellArguments = z.infer<typeof shellArguments>;

const commandEntry = z.union([
  z.object({ command: z.string(), argv: z.array(z.string()), ...executionResult.unwrap().shape }),
  z.object({ command: z.string(), error: z.string(), message: z.string(), hint: z.string().optional() }),
]);

const shellTool: Tool<ShellArguments> = {
  name: "Shell",
  title: "Run a plain command",
  description:
    "Runs commands from a list of known programs (ls, rg, git, python, …) in a box. No shell reads them: quotes, globs and braces work, " +
    "pipes, redirections and variables do not; for those use Bash.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: "granted" },
  arguments: shellArguments,
  result: z.object({ success: z.boolean(), results: z.array(commandEntry) }),
  plan: planShell,
};

export function registerShellTool(registry: Registry): void {
  registry.register(shellTool);
}

type Entry = { readonly command: string } & ({ readonly planned: PlannedCommand } | { readonly refused: Failure });

async function planShell(args: ShellArguments, context: PlanContext): Promise<Result<Plan>> {
  const directory = await resolveWorkingDirectory(args.work_dir, "work_dir", context);
  if (!directory.ok) return directory;
  const isTolerant = args.ignore_errors === true;
  const timeoutMs = (args.timeout ?? limits.shellTimeoutS) * 1000;
  const entries: Entry[] = [];
  for (const command of typeof args.command === "string" ? [args.command] : args.command) {
    const planned = planCommand(command, directory.value.path, timeoutMs, context);
    if (planned.ok) entries.push({ command, planned: planned.value });
    else if (isTolerant) entries.push({ command, refused: planned.failure });
    else return planned;
  }
  const reached = isTolerant ? entries : entries.slice(0, firstKnownFailure(entries) + 1);
  const planned = reached.flatMap((entry) => ("planned" in entry ? [entry.planned] : []));
  const { agent, capability } = context;
  const elsewhere = (name: string) => context.programs.elsewhere(name);
  const argument = { needs: 'Bash with "needs"', timeout: `"timeout", at most ${limits.shellTimeoutMaxS}` };
  const { workspace, network } = context;
  const afterRun = { agent, argument, capability, workspace, network, effects: [], elsewhere };
  return ok({
    kind: "programs",
    steps: planned.flatMap(({ step }) => (step === null ? [] : [step])),
    reads: [...directory.value.reads, ...new Set(planned.flatMap(({ reads }) => reads))],
    links: [...directory.value.links, ...planned.flatMap(({ links }) => links)],
    access: planned.every(({ isReading }) => isReading)
      ? { mode: "r", seesWorkspace: true }
      : { mode: "rw", writes: [] },
    network: "granted",
    limits: "work",
    effects: [],
    startsIn: directory.value,
    stopsAtFailure: !isTolerant,
    keepsPartial: args.keep_partial === true,
    read: (outcomes) => readShell(entries, reached, outcomes, afterRun),
  });
}

/** The gate knows its own answers (`type`) beforehand. If one of them is a failure, no later command starts. */
function firstKnownFailure(entries: readonly Entry[]): number {
  const index = entries.findIndex(
    (entry) => "planned" in entry && entry.planned.answer !== null && entry.planned.answer.exit_code !== 0,
  );
  return index < 0 ? entries.length : index;
}

function readShell(
  all: readonly Entry[],
  reached: readonly Entry[],
  outcomes: readonly StepOutcome[],
  afterRun: AfterRun,
): Record<string, unknown> {
  const byStep = new Map<Step, StepOutcome>(outcomes.map((outcome) => [outcome.step, outcome]));
  const results = reached.flatMap((entry): Record<string, unknown>[] => {
    const { command } = entry;
    if ("refused" in entry)
      return [
        {
          command,
          error: entry.refused.error,
          message: entry.refused.message,
          ...(entry.refused.hint === undefined ? {} : { hint: entry.refused.hint }),
        },
      ];
    const { step, argv, answer } = entry.planned;
    if (answer !== null) return [{ command, argv, ...answer }];
    const outcome = step === null ? undefined : byStep.get(step);
    return outcome === undefined ? [] : [{ command, argv, ...withHint(readExecution(outcome), afterRun) }];
  });
  const isDone =
    results.length === all.length && results.every((result) => (result as Partial<ExecutionResult>).exit_code === 0);
  return { success: isDone, results };
}
