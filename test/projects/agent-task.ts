// What an agent does on a project, through a gate with the configuration that `sallyport init --toolchains` writes, on a draft.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createGate,
  createRegistry,
  type ExecutionResult,
  type Gate,
  registerBashTool,
  registerBuiltinTools,
} from "../../src/index.ts";
import { scripted, type ScriptedApprover } from "../fixtures/approver.ts";
import { resultOf } from "../fixtures/gate.ts";
import type { Checkout } from "./checkout.ts";
import { type Ended, secondsSince } from "./outside.ts";

const sallyport = join(import.meta.dirname, "../../bin/sallyport.js");

export interface Agent {
  readonly gate: Gate;
  /** Says yes, and counts. */
  readonly person: ScriptedApprover;
  call(tool: string, args: object): Promise<Record<string, unknown>>;
  run(script: string): Promise<Ended>;
}

export function openAgent({ base, directory }: Checkout): Agent {
  const [configHome, state] = ["config", "state"].map((name) => join(base, name)) as [string, string];
  for (const path of [configHome, state]) mkdirSync(path, { mode: 0o700 });
  process.env["XDG_CONFIG_HOME"] = configHome;
  const person = scripted();
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  const configText = initialConfig(directory, configHome);
  const gate = createGate({
    registry,
    project: directory,
    statePath: state,
    session: "task",
    configText,
    approvers: [person],
  });
  const call = async (tool: string, args: object): Promise<Record<string, unknown>> => {
    const reply = await gate.call({ tool, args });
    assert.ok(reply.ok, `${tool} was refused: ${JSON.stringify(reply)}`);
    return resultOf(reply);
  };
  return { gate, person, call, run: async (script) => runInside(call, script) };
}

async function runInside(call: Agent["call"], script: string): Promise<Ended> {
  const started = performance.now();
  const result = await call("Bash", { script, timeout_s: 600, max_output_bytes: 4_194_304 });
  const { exit_code: exitCode, stdout, stderr, timed_out: isTimedOut } = result as unknown as ExecutionResult;
  assert.equal(isTimedOut, false, `${script} did not end in ten minutes:\n${stdout}${stderr}`);
  return { exitCode, output: stdout + stderr, seconds: secondsSince(started) };
}

/** The default configuration, with the grants that `init` proposes for this project. */
function initialConfig(project: string, configHome: string): string {
  const { status, stderr } = spawnSync(process.execPath, [sallyport, "init", "--toolchains"], {
    cwd: project,
    env: { ...process.env, XDG_CONFIG_HOME: configHome },
    encoding: "utf8",
    timeout: 120_000,
  });
  assert.equal(status, 0, stderr);
  return readFileSync(join(configHome, "sallyport", "config.yaml"), "utf8");
}
