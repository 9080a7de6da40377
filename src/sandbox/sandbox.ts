// The sandbox of a gate: what boxes are made of here, opened once, and a launch for each granted step.
// Invariant: what the configuration requires and this machine cannot hold is `sandbox_unavailable`, never a quiet less.

import { mkdirSync, readdirSync, mkdtempSync } from "node:fs";
import type { Step } from "../action/action.ts";
import type { Grant } from "../approval/grant.ts";
import type { Launch, Mount } from "../process/launch.ts";
import type { Quarantined } from "../process/outcome.ts";
import type { ProcessGuardian } from "../process/process-guardian.ts";
import { openForker } from "../process/start.ts";
import type { Starter } from "../process/starter.ts";
import { errorCode } from "../shared/error-code.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { createBareStarter } from "./bare-starter.ts";
import { findBaseView } from "./base-view.ts";
import { type BubblewrapStarterOptions, createBubblewrapStarter } from "./bubblewrap-starter.ts";
import { sweepCgroups } from "./cgroup.ts";
import type { BoxWorkspace } from "./box-workspace.ts";
import { confine } from "./confine.ts";
import { DirectoryIndex } from "./directory-index.ts";
import type { GuardLedger } from "./guard-ledger.ts";
import { Guards } from "./guards.ts";
import { HideMemory } from "./hide-memory.ts";
import type { MaterializedTree } from "./materialized-tree.ts";
import { LaunchFiles } from "./launch-files.ts";
import { createProcessGuardian } from "./init-guardian.ts";
import { PipePool } from "./pipe-pool.ts";
import { type PreparedFiles, prepareBoxFiles } from "./prepared.ts";
import { mkfifoProblem, type Probe, probe as probeMachine } from "./probe.ts";
import { createProbeMemory, type ProbeMemory } from "./probe-memory.ts";
import { makeScratchDirectory, removeScratchDirectory, sweepScratchDirectories } from "./scratch-directory.ts";
import { overlayTrees, sharedTrees } from "./shared-trees.ts";

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
  /** `workspace`: what the box is to show as the workspace; without it programs find an empty one. */
  confine(grant: Grant, step: Step, workspace?: BoxWorkspace | null): Result<Confined>;
  /** Real places inside of these directories that names which others execute later lead to. */
  executedTargets(directories: readonly string[]): readonly string[];
  /** A place to lay the files of a workspace in memory out, empty. Whoever opens it closes it. null: nothing can be run here. */
  openTree(): MaterializedTree | null;
  /** A directory of its own, private to the gate and gone with it. */
  makeRoom(): string;
  /** null: nothing can be run here. */
  readonly guardian: ProcessGuardian | null;
  close(): void;
}

export function openSandbox(options: SandboxOptions): Sandbox {
  const memory = createProbeMemory(options.stateDirectory);
  const probe = options.probe ?? probeMachine({ memory });
  const unavailable = unavailableSandbox(probe, options);
  if (unavailable !== null) return unavailable;

  const prepared = prepareBoxFiles(options.stateDirectory, probe.architecture, readdirSync("/etc"));
  const index = new DirectoryIndex();
  const hideMemory = new HideMemory(`${options.stateDirectory}/hide`);
  const guards = new Guards(options.ledger, index, `${options.stateDirectory}/quarantine`);
  sweep(probe, prepared, guards);
  const directory = makeScratchDirectory(prepared.directory);
  const pipes = new PipePool(directory, probe.mkfifo as string);
  const parts = { prepared, baseView: findBaseView() satisfies Mount[], index, hideMemory };
  const isBoxed = probe.problem === null;
  const forker = openForker(prepared.forker);
  const overlayDirectory = isBoxed && probe.overlay ? `${directory}/overlay` : null;
  if (overlayDirectory !== null) mkdirSync(overlayDirectory, { mode: 0o700 });
  const trees = overlayDirectory === null ? sharedTrees(directory) : overlayTrees(directory);
  return {
    probe,
    starter: forgettingFailures(
      trees.reporting(
        createStarter(probe, { prepared, pipes, directory, cgroupHome: probe.cgroupHome, overlayDirectory, forker }),
      ),
      memory,
    ),
    openTree: () => trees.open(),
    confine(grant, step, workspace) {
      const guarded = guards.hold(isBoxed ? grant.action.view : null);
      const files = new LaunchFiles(directory);
      const release = () => {
        files.remove();
        guarded.release();
      };
      let launch: Result<Launch> | null = null;
      try {
        launch = confine(grant, step, { ...parts, files }, guarded, workspace);
      } finally {
        if (launch?.ok !== true) release();
      }
      return launch.ok ? ok({ launch: launch.value, afterwards: () => guarded.afterwards(), release }) : launch;
    },
    executedTargets: (directories) => guards.executedTargets(directories),
    makeRoom: () => mkdtempSync(`${directory}/room-`),
    guardian: createProcessGuardian(prepared.init, pipes, directory),
    close() {
      forker.close();
      removeScratchDirectory(directory);
    },
  };
}

type StarterParts = Omit<BubblewrapStarterOptions, "bubblewrap" | "bindsDescriptors">;

function createStarter(probe: Probe, parts: StarterParts): Starter {
  const { problem, bubblewrap } = probe;
  if (problem !== null || bubblewrap === null) return createBareStarter(parts);
  return createBubblewrapStarter({
    ...parts,
    bubblewrap: bubblewrap.path,
    bindsDescriptors: bubblewrap.bindsDescriptors,
  });
}

/** A box that cannot be built says that the machine is not what it was: the next process tries everything again. */
function forgettingFailures(starter: Starter, memory: ProbeMemory): Starter {
  return {
    name: starter.name,
    async start(launch, listener, dispatched) {
      const started = await starter.start(launch, listener, dispatched);
      if (!started.ok && started.failure.error === "sandbox_unavailable") memory.forget();
      return started;
    },
  };
}

/** What keeps every call from running here, under what the configuration requires; null: nothing does. */
export function sandboxProblem(probe: Probe, require: SandboxOptions["require"]): Probe["problem"] {
  if (probe.mkfifo === null) return mkfifoProblem();
  // SECURITY(T12): no box, no run. Only `require: limits` in the configuration says otherwise, and each result shows it.
  return require === "limits" ? null : probe.problem;
}

/** A sandbox that refuses every call, with what would mend it. */
function unavailableSandbox(probe: Probe, options: SandboxOptions): Sandbox | null {
  const problem = sandboxProblem(probe, options.require);
  if (problem === null) return null;
  const refusal = fail("sandbox_unavailable", `Nothing can be run safely here: ${problem.message}.`, {
    hint: `This would mend it: ${problem.mend}`,
  });
  return {
    probe,
    starter: { name: "none", start: () => Promise.resolve(refusal) },
    confine: () => refusal,
    executedTargets: (directories) => new Guards(options.ledger, new DirectoryIndex(), "").executedTargets(directories),
    openTree: () => null,
    makeRoom: () => {
      throw new Error("nothing can be run here");
    },
    guardian: null,
    close: () => undefined,
  };
}

/** What earlier gates left behind when they were killed. */
function sweep(probe: Probe, prepared: PreparedFiles, guards: Guards): void {
  sweepScratchDirectories(prepared.directory, isAlive);
  if (probe.cgroupHome !== null) sweepCgroups(probe.cgroupHome, isAlive);
  guards.sweep();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}
