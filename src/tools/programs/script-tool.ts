// What Bash and Python share: the box shows the agent's script as a file, and the gate starts an interpreter on it. The script is never
// part of a command line.

import { z } from "zod";
import type { Effect } from "../../action/effect.ts";
import { workEnvironment } from "../../process/box-environment.ts";
import { limits } from "../../shared/limits.ts";
import { isAbsolutePath, isWithin } from "../../shared/path.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { withAdvice } from "./after-run.ts";
import type { StartedWith } from "./command-context.ts";
import { type ExecutionResult, readExecution } from "./execution-result.ts";
import {
  argumentText,
  environmentArgument,
  outputArgument,
  partialArgument,
  stdinArgument,
  scriptTimeoutArgument,
} from "./program-arguments.ts";
import { networkVariables, networkWith, parseNeededHosts } from "./needed-hosts.ts";
import { checkRequirements, type Requirement, requirementsFor } from "./requirements.ts";
import type { Plan, PlanContext, StepOutcome, ToolHints } from "../tool.ts";
import { resolveWorkingDirectory } from "./working-directory.ts";

const paths = z.array(argumentText.max(limits.pathBytes)).max(100);

/** A script can do anything that the box allows. */
export const scriptHints: ToolHints = { readOnly: false, destructive: true, idempotent: false, openWorld: "asked" };

export const scriptArguments = {
  cwd: argumentText.optional().describe("An absolute directory. Default: the project in a draft, else /workspace."),
  env: environmentArgument
    .optional()
    .describe(
      "Added to PATH, HOME, LANG, LC_ALL, USER, TERM and SHELL; offline also to what keeps npm, pip and cargo from retrying.",
    ),
  stdin: stdinArgument.optional().describe("Standard input. Default: empty."),
  timeout_s: scriptTimeoutArgument
    .optional()
    .describe(`Seconds until it is ended. Default ${limits.scriptTimeoutDefaultS}.`),
  max_output_bytes: outputArgument
    .optional()
    .describe(`What is kept of each stream. Default ${limits.outputDefaultBytes}.`),
  keep_partial: partialArgument.optional(),
  needs: z
    .strictObject({
      network: z
        .union([z.boolean(), z.array(argumentText.max(300)).max(50)])
        .optional()
        .describe('Hosts: ["example.org:443"], or a set: ["npm"]. true: the whole network of this machine.'),
      read: paths.optional().describe("Absolute paths to see."),
      write: paths.optional().describe("Absolute paths to change."),
    })
    .optional()
    .describe("What the call needs beyond the grants: a person is asked."),
  expect: z
    .strictObject({
      files: paths.optional().describe("Workspace files that must be there."),
      git_diff: paths.optional().describe("Workspace files that the run must have changed."),
    })
    .optional()
    .describe("Checked after the run; the result says what was met."),
};

const argumentsShape = z.object(scriptArguments);

export interface ScriptCall extends z.infer<typeof argumentsShape> {
  readonly text: string;
}

export interface Interpreter {
  readonly name: string;
  /** Options between the interpreter's name and the file. */
  readonly options: readonly string[];
  readonly install: string;
  readonly requirements: readonly Requirement[];
  /** Reads the effects of the script before it runs, from its text, directory, variables and input. */
  readonly effects: (text: string, started: StartedWith, context: PlanContext) => Result<readonly Effect[]>;
}

/** Lies in /dev, because every box has its own /dev. */
const SCRIPT = "/dev/sallyport-script";

export async function planScript(
  interpreter: Interpreter,
  call: ScriptCall,
  context: PlanContext,
): Promise<Result<Plan>> {
  const reads = resolveNeeds(call.needs?.read ?? [], "needs.read", context);
  if (!reads.ok) return reads;
  const writes = resolveNeeds(call.needs?.write ?? [], "needs.write", context);
  if (!writes.ok) return writes;
  const hosts = parseNeededHosts(call.needs?.network);
  if (!hosts.ok) return hosts;
  const above = writes.value.find((path) => path !== context.workspace.path && isWithin(context.workspace.path, path));
  if (above !== undefined && context.repositoryAt(context.workspace.path).isInWorkspace)
    return fail("invalid_args", `needs.write: ${JSON.stringify(above)} contains the project, which is a draft.`, {
      hint: "Name directories beside the project.",
    });
  const path = pathWithout(writes.value, context);
  const program = context.programs.inBox(interpreter.name, path);
  if (program === null)
    return fail("tool_failed", `${interpreter.name} is not installed.`, {
      hint: `This would mend it: ${interpreter.install}`,
    });
  const network = networkWith(call.needs?.network, hosts.value, context);
  const environment = workEnvironment(call.env ?? {}, {
    path,
    network: networkVariables(network, context.capability),
    home: context.workspace.home,
    user: context.user,
  });
  if (!environment.ok) return environment;
  const directory = await resolveWorkingDirectory(call.cwd ?? context.workspace.path, "cwd", context);
  if (!directory.ok) return directory;
  const variables = { PATH: path.join(":"), ...call.env };
  const started = { cwd: directory.value.path, variables, stdin: call.stdin ?? null };
  const effects = interpreter.effects(call.text, started, context);
  if (!effects.ok) return effects;
  const { real, links } = context.disk.resolve(program);
  const outputBytes = call.max_output_bytes ?? limits.outputDefaultBytes;
  return ok({
    kind: "programs",
    steps: [
      {
        program: real,
        argv: [program, ...interpreter.options, SCRIPT],
        cwd: directory.value.path,
        environment: environment.value,
        stdin: call.stdin ?? null,
        timeoutMs: (call.timeout_s ?? limits.scriptTimeoutDefaultS) * 1000,
        stdoutBytes: outputBytes,
        stderrBytes: outputBytes,
        files: [{ path: SCRIPT, content: call.text }],
      },
    ],
    reads: [real, ...directory.value.reads, ...reads.value],
    links: [...links, ...directory.value.links],
    access: { mode: "rw", writes: writes.value },
    network: call.needs?.network === true ? "needed" : hosts.value.length > 0 ? { hosts: hosts.value } : "granted",
    limits: "work",
    effects: effects.value,
    startsIn: directory.value,
    stopsAtFailure: true,
    keepsPartial: call.keep_partial === true,
    async read(outcomes, workspace) {
      const result = withAdvice(readExecution(outcomes[0] as StepOutcome), {
        agent: context.agent,
        argument: { needs: '"needs"', timeout: `"timeout_s", at most ${limits.scriptTimeoutMaxS}` },
        network,
        effects: effects.value,
        capability: context.capability,
        workspace: context.workspace,
        elsewhere: (name) => context.programs.elsewhere(name),
      });
      if (call.expect === undefined) return result;
      const spelled = (texts: readonly string[] = []) => texts.map((text) => context.workspace.spelled(text));
      const expect = { files: spelled(call.expect.files), git_diff: spelled(call.expect.git_diff) };
      const checks = requirementsFor(interpreter.requirements, call.expect);
      const checked = { effects: effects.value, workspace, expect };
      return { ...result, requirements: await checkRequirements(checks, result, checked) } satisfies ExecutionResult;
    },
  });
}

/** SECURITY(T47): what this call may write is no place for its programs either. */
function pathWithout(writes: readonly string[], { programs }: PlanContext): readonly string[] {
  const fixed = programs.fixed();
  return programs
    .directories()
    .filter(
      (directory) =>
        fixed.includes(directory) || !writes.some((path) => isWithin(directory, path) || isWithin(path, directory)),
    );
}

function resolveNeeds(written: readonly string[], field: string, { disk }: PlanContext): Result<string[]> {
  const wrong = written.find((path) => !isAbsolutePath(path));
  if (wrong !== undefined)
    return fail("invalid_args", `${field}: ${JSON.stringify(wrong)} is not an absolute path.`, {
      hint: "Write it in full.",
    });
  return ok(written.map((path) => disk.resolve(path).real));
}
