// The sandbox of a gate: what boxes are made of here, opened once, and a launch for each granted step.
// Invariant: what the configuration requires and this machine cannot hold is `sandbox_unavailable`, never a quiet less.

import { readdirSync, rmSync } from "node:fs";
import type { Step } from "../action/action.ts";
import type { Grant } from "../approval/grant.ts";
import type { Launch, Mount } from "../process/launch.ts";
import type { Quarantined } from "../process/outcome.ts";
import type { Starter } from "../process/starter.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { type BareStarterOptions, createBareStarter } from "./bare-starter.ts";
import { findBaseView } from "./base-view.ts";
import { createBubblewrapStarter } from "./bubblewrap-starter.ts";
import { sweepCgroups } from "./cgroup.ts";
import { confine } from "./confine.ts";
import { DirectoryIndex } from "./directory-index.ts";
import type { GuardLedger } from "./guard-ledger.ts";
import { Guards } from "./guards.ts";
import { PipePool } from "./pipe-pool.ts";
import { type PreparedFiles, prepareBoxFiles } from "./prepared.ts";
import { type Probe, probe as probeMachine } from "./probe.ts";
import { makeScratchRoom, sweepScratchRooms } from "./scratch-room.ts";

export interface Confined {
  readonly launch: Launch;
  /** After the run: what was made where it must not be, moved away. */
  afterwards(): readonly Quarantined[];
  /** Always, whatever happened: nothing of ours stays on the host. */
  release(): void;
}

export interface SandboxOptions {
  readonly stateDirectory: string;
  readonly require: "kernel" | "limits";
  readonly ledger: GuardLedger;
  /** For tests; otherwise this machine is probed. */
  readonly probe?: Probe;
}

export interface Sandbox {
  readonly probe: Probe;
  readonly starter: Starter;
  confine(grant: Grant, step: Step): Result<Confined>;
  close(): void;
}

export function openSandbox(options: SandboxOptions): Sandbox {
  const probe = options.probe ?? probeMachine();
  const unavailable = unavailableSandbox(probe, options.require);
  if (unavailable !== null) return unavailable;

  const prepared = prepareBoxFiles(options.stateDirectory, probe.architecture, readdirSync("/etc"));
  const index = new DirectoryIndex();
  const guards = new Guards(options.ledger, index, `${options.stateDirectory}/quarantine`);
  sweep(probe, prepared, guards);
  const room = makeScratchRoom(prepared.directory);
  const pipes = new PipePool(room, probe.mkfifo as string);
  const parts = { prepared, baseView: findBaseView() satisfies Mount[], index };
  const isBoxed = probe.problem === null;
  return {
    probe,
    starter: createStarter(probe, { prepared, pipes, room, cgroupHome: probe.cgroupHome }),
    confine(grant, step) {
      const guarded = guards.hold(isBoxed ? grant.action.view : null);
      const launch = confine(grant, step, parts, guarded.readOnly);
      if (launch.ok)
        return ok({ launch: launch.value, afterwards: () => guarded.afterwards(), release: () => guarded.release() });
      guarded.release();
      return launch;
    },
    close: () => rmSync(room, { recursive: true, force: true }),
  };
}

function createStarter(probe: Probe, parts: BareStarterOptions): Starter {
  const { problem, bubblewrap } = probe;
  if (problem !== null || bubblewrap === null) return createBareStarter(parts);
  return createBubblewrapStarter({
    ...parts,
    bubblewrap: bubblewrap.path,
    bindsDescriptors: bubblewrap.bindsDescriptors,
  });
}

/** What keeps every call from running here, under what the configuration requires; null: nothing does. */
export function sandboxProblem(probe: Probe, require: SandboxOptions["require"]): Probe["problem"] {
  if (probe.mkfifo === null) return { message: "mkfifo is not installed", mend: "sudo apt-get install -y coreutils" };
  // SECURITY(T12): no box, no run. Only `require: limits` in the configuration says otherwise, and each result shows it.
  return require === "limits" ? null : probe.problem;
}

/** A sandbox that refuses every call, with what would mend it. */
function unavailableSandbox(probe: Probe, require: SandboxOptions["require"]): Sandbox | null {
  const problem = sandboxProblem(probe, require);
  if (problem === null) return null;
  const refusal = fail("sandbox_unavailable", `Nothing can be run safely here: ${problem.message}.`, {
    hint: `This would mend it: ${problem.mend}`,
  });
  return {
    probe,
    starter: { name: "none", start: () => Promise.resolve(refusal) },
    confine: () => refusal,
    close: () => undefined,
  };
}

/** What earlier gates left behind when they were killed. */
function sweep(probe: Probe, prepared: PreparedFiles, guards: Guards): void {
  sweepScratchRooms(prepared.directory, isAlive);
  if (probe.cgroupHome !== null) sweepCgroups(probe.cgroupHome, isAlive);
  guards.sweep();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
