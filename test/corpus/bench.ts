// A case on the bench: its world, and one way to run a call in it. There are two: through the gate, as an agent
// calls; and as an action built by hand and granted unasked, which shows that the box alone holds.

import { boxAlone } from "../fixtures/gate.ts";
import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import type { UnsealedAction } from "../../src/action/action.ts";
import { sealAction } from "../../src/action/digest.ts";
import { grantByVerdict } from "../../src/approval/grant.ts";
import {
  createGate,
  createRegistry,
  type ExecutionResult,
  type Gate,
  registerExecTool,
  registerGitTool,
  registerShellTool,
  type Registry,
  type Reply,
  type RunListener,
} from "../../src/index.ts";
import { baseEnvironment } from "../../src/process/environment.ts";
import { resolvePath } from "../../src/process/real-path.ts";
import { limits } from "../../src/shared/limits.ts";
import { readExecution } from "../../src/tools/programs/execution-result.ts";
import type { World } from "./world.ts";

export interface ExecArgs {
  readonly argv: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly timeout_s?: number;
  readonly max_output_bytes?: number;
}

export interface Grants {
  readonly tools: readonly string[];
  readonly paths: readonly { readonly path: string; readonly mode: "r" | "rw" }[];
}

export type How = "gate" | "hand";
export type Run = (args: ExecArgs, listener?: RunListener) => Promise<Reply>;

export interface Bench {
  readonly how: How;
  readonly world: World;
  readonly gate: Gate;
  /** The case's own input, its placeholders filled in. */
  readonly args: ExecArgs;
  readonly run: Run;
}

export function usualGrants(world: World): Grants {
  return {
    tools: ["Exec"],
    paths: [
      { path: "/usr", mode: "r" },
      { path: world.root, mode: "rw" },
      { path: world.repo, mode: "r" },
    ],
  };
}

export function configOf({ tools, paths }: Grants, more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    version: 1,
    agents: { default: { tool_grants: tools, fs_grants: paths } },
    workspace: { kind: "memory" },
    policy: boxAlone,
    ...more,
  });
}

export function createToolRegistry(): Registry {
  const registry = createRegistry();
  registerExecTool(registry);
  registerGitTool(registry);
  registerShellTool(registry);
  return registry;
}

export function openGate(world: World, grants: Grants, session: string, state = world.state): Gate {
  return createGate({
    registry: createToolRegistry(),
    statePath: state,
    project: world.root,
    session,
    configText: configOf(grants),
  });
}

export function runnerOf(gate: Gate, how: How): Run {
  return how === "gate"
    ? (args, listener) => gate.call({ tool: "Exec", args }, listener)
    : (args, listener) => runByHand(gate, args, listener);
}

/** Nothing is parsed, planned or judged: the agent's view, any program in it, and a yes. */
async function runByHand(gate: Gate, args: ExecArgs, listener: RunListener = {}): Promise<Reply> {
  const name = args.argv[0] as string;
  const program = resolvePath(name);
  const cap = args.max_output_bytes ?? limits.outputDefaultBytes;
  const draft: UnsealedAction = {
    tool: "Exec",
    agent: gate.agent,
    operation: null,
    contents: [],
    stopsAtFailure: true,
    steps: [
      {
        program: program.real,
        argv: args.argv,
        cwd: args.cwd ?? gate.config.project,
        environment: Object.entries({ ...baseEnvironment(), ...args.env }),
        stdin: args.stdin ?? null,
        timeoutMs: (args.timeout_s ?? limits.timeoutDefaultS) * 1000,
        stdoutBytes: cap,
        stderrBytes: cap,
        files: [],
      },
    ],
    view: {
      paths: gate.capability.fsGrants,
      links: program.links,
      workspace: { kind: "scratch" },
      network: "none",
    },
    effects: [
      { kind: "tool", tool: "Exec" },
      { kind: "run", program: program.real, argv: args.argv, at: "start" },
    ],
    limits: gate.capability.limits,
  };
  const action = sealAction(draft, (text) => createHash("sha256").update(text).digest("hex"));
  const [step] = action.steps;
  if (step === undefined) throw new Error("an action of one step has it");
  const layers = gate.sandbox.openLayers(action.view);
  if (!layers.ok) return { ok: false, ...layers.failure };
  const shown = { layers: layers.value };
  const confined = gate.sandbox.confine(grantByVerdict(action, { decision: "allow", findings: [] }), step, shown);
  if (!confined.ok) return { ok: false, ...confined.failure };
  try {
    const outcome = await gate.sandbox.starter.start(confined.value.launch, listener, () => undefined);
    if (!outcome.ok) return { ok: false, ...outcome.failure };
    const landed = outcome.value.exitCode === null ? null : await layers.value?.land(1_000_000_000);
    if (landed?.ok === false) return { ok: false, ...landed.failure };
    return {
      ok: true,
      result: readExecution({
        artifacts: [],
        notKept: landed?.value.heldBack ?? [],
        step,
        outcome: outcome.value,
      }),
    };
  } finally {
    confined.value.release();
    layers.value?.close();
  }
}

/** The program ran, in a box that the kernel holds; how it ended is for the case to look at. */
export function ran(reply: Reply): ExecutionResult {
  assert.ok(reply.ok, `it did not run: ${JSON.stringify(reply)}`);
  const result = reply.result as ExecutionResult;
  const { filesystem, network, environment, syscalls } = result.enforced;
  assert.deepEqual(
    { filesystem, network, environment, syscalls },
    { filesystem: "kernel", network: "kernel", environment: "kernel", syscalls: "kernel" },
  );
  return result;
}

export function assertNoMarker(world: World): void {
  assert.equal(existsSync(world.marker), false, "the marker was made");
}
