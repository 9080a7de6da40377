// The sandbox of a gate: opened once, it makes a launch for each granted step.
// Invariant: if this machine cannot enforce what the configuration requires, a call fails with `sandbox_unavailable` and nothing runs.

import { mkdirSync, readdirSync, mkdtempSync } from "node:fs";
import type { Step, View, ViewPath } from "../action/action.ts";
import type { Grant } from "../approval/grant.ts";
import type { Launch, Mount } from "../process/launch.ts";
import type { ProcessGuardian } from "../process/process-guardian.ts";
import type { Forker } from "../process/forker.ts";
import { openForker, runWithInput } from "../process/start.ts";
import type { Starter } from "../process/starter.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { createBareStarter } from "./bare-starter.ts";
import { findBaseView } from "./base-view.ts";
import { type BubblewrapStarterOptions, createBubblewrapStarter } from "./bubblewrap-starter.ts";
import { sweepCgroups } from "./cgroup.ts";
import type { BoxWorkspace } from "./box-workspace.ts";
import { confine } from "./confine.ts";
import { withOwnDevices } from "./device-files.ts";
import { makeDraftDirectory } from "./draft-directory.ts";
import { DraftHolder, type KeeperCommand } from "./draft-holder.ts";
import { type ComparedProject, readCompareResult } from "./draft-seen.ts";
import { sweepDiscarded } from "./discarded-drafts.ts";
import { sweepDrafts } from "./draft-list.ts";
import { readSeedResult, type SeedResult } from "./draft-seed.ts";
import { addDraftUse } from "./draft-use.ts";
import { DirectoryIndex } from "./directory-index.ts";
import { executedTargets } from "./executed-targets.ts";
import { findHidden, type HiddenPath } from "./hide.ts";
import { forkedOutput } from "./forked-output.ts";
import { compareArguments, seedArguments } from "./keeper-program.ts";
import { HideMemory } from "./hide-memory.ts";
import { listenersTrial } from "./listeners-trial.ts";
import type { MaterializedTree } from "./materialized-tree.ts";
import { LaunchFiles } from "./launch-files.ts";
import { type CallLayers, openCallLayers } from "./layer/call-layers.ts";
import { LayerHome } from "./layer/layer-home.ts";
import { layerRoots } from "./layer/layer-roots.ts";
import { createProcessGuardian } from "./init-guardian.ts";
import { PipePool } from "./pipe-pool.ts";
import { type PreparedFiles, prepareBoxFiles } from "./prepared.ts";
import { mkfifoProblem, type Probe, probe as probeMachine } from "./probe.ts";
import { createProbeMemory, type ProbeMemory } from "./probe-memory.ts";
import { makeScratchDirectory, removeScratchDirectory, sweepScratchDirectories } from "./scratch-directory.ts";
import { overlayTrees, sharedTrees } from "./shared-trees.ts";

export interface Confined {
  readonly launch: Launch;
  /** Always call this, however the run ended. It removes the gate's files from the host. */
  release(): void;
}

export interface DraftParts {
  /** Makes an empty draft in a new directory. */
  make(directory: string): void;
  /** `words`: for native/keeper, see `seed` there. Resolves to what was left out. */
  seed(directory: string, project: string, words: Iterable<string>): Promise<Result<SeedResult>>;
  /** What has changed in the project since it was copied. Null if it was not. */
  compare(directory: string, project: string): Promise<ComparedProject | null>;
  holder(directory: string, project: string): DraftHolder;
  /** The paths below a granted directory that its globs hide, without those in `unseen` directories. */
  hidden(view: ViewPath, unseen?: ReadonlySet<string>): readonly HiddenPath[];
}

export interface ShownInBox {
  readonly workspace?: BoxWorkspace | null | undefined;
  readonly layers?: CallLayers | null | undefined;
  /** Whether somebody judges the hosts that its programs connect to. */
  readonly hasNetwork?: boolean | undefined;
}

export interface SandboxOptions {
  readonly stateDirectory: string;
  readonly require: "kernel" | "limits";
  /** For tests. Without it the sandbox probes this machine. */
  readonly probe?: Probe;
}

export interface Sandbox {
  readonly probe: Probe;
  readonly starter: Starter;
  /** Makes the layers of a call. The caller closes them. Null if the call changes nothing of the machine in a box. */
  openLayers(view: View): Result<CallLayers | null>;
  /** `workspace`: what the box shows at /workspace. Without it the box shows an empty one. */
  confine(grant: Grant, step: Step, shown?: ShownInBox): Result<Confined>;
  /** Real paths inside these directories to which links with names that other programs execute later lead. */
  executedTargets(directories: readonly string[]): readonly string[];
  /** Opens an empty directory in which to materialize a workspace in memory. The caller closes it. Null if nothing can run here. */
  openTree(): MaterializedTree | null;
  /** What a draft needs. Null if this machine cannot mount one. */
  readonly drafts: DraftParts | null;
  /** Makes a new directory that is private to the gate and removed with it. */
  makePrivateDirectory(): string;
  /** Null if nothing can run here. */
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
  const home = new LayerHome(options.stateDirectory);
  sweep(probe, prepared, home, options.stateDirectory);
  const directory = makeScratchDirectory(prepared.directory);
  const mkfifo = probe.mkfifo as string;
  const pipes = new PipePool(directory, mkfifo);
  const parts = { prepared, baseView: findBaseView() satisfies Mount[], index, hideMemory };
  const isBoxed = probe.problem === null;
  const forker = openForker(prepared.forker);
  const networkForker = openForker(prepared.forker, true);
  const overlayDirectory = isBoxed && probe.overlay ? `${directory}/overlay` : null;
  if (overlayDirectory !== null) mkdirSync(overlayDirectory, { mode: 0o700 });
  const trees = overlayDirectory === null ? sharedTrees(directory) : overlayTrees(directory);
  const layerParts = {
    home,
    keeper: prepared.keeper,
    targets: (directories: readonly string[]) => executedTargets(index, directories),
  };
  return {
    probe,
    starter: forgettingFailures(
      trees.reporting(
        createStarter(probe, {
          prepared,
          pipes,
          directory,
          cgroupHome: probe.cgroupHome,
          overlayDirectory,
          forker,
          networkForker,
          tryListeners: listenersTrial(prepared.keeper, networkForker),
        }),
      ),
      memory,
    ),
    openTree: () => trees.open(),
    drafts:
      overlayDirectory === null ? null : draftParts({ prepared, mkfifo, index, memory: hideMemory, forker, pipes }),
    openLayers(view) {
      if (!isBoxed) return ok(null);
      return overlayDirectory === null ? noLayers(view) : openCallLayers(view, layerParts);
    },
    confine(grant, step, { workspace, layers, hasNetwork } = {}) {
      const files = new LaunchFiles(directory);
      const release = () => files.remove();
      let launch: Result<Launch> | null = null;
      try {
        launch = confine(
          grant,
          step,
          { ...parts, files, hasNetwork },
          isBoxed ? (layers?.layers ?? []) : null,
          workspace,
        );
      } finally {
        if (launch?.ok !== true) release();
      }
      return launch.ok ? ok({ launch: launch.value, release }) : launch;
    },
    executedTargets: (directories) => executedTargets(index, directories),
    makePrivateDirectory: () => mkdtempSync(`${directory}/private-`),
    guardian: createProcessGuardian(prepared.init, pipes, directory),
    close() {
      forker.close();
      networkForker.close();
      home.close();
      removeScratchDirectory(directory);
    },
  };
}

interface DraftTools {
  readonly prepared: PreparedFiles;
  readonly mkfifo: string;
  readonly index: DirectoryIndex;
  readonly memory: HideMemory;
  readonly forker: Forker;
  readonly pipes: PipePool;
}

function draftParts({ prepared, mkfifo, index, memory, forker, pipes }: DraftTools): DraftParts {
  const command: KeeperCommand = (args) => withOwnDevices(prepared.devices, { file: prepared.keeper, args, cwd: "/" });
  return {
    make: (directory) => makeDraftDirectory(directory, mkfifo),
    async seed(directory, project, words) {
      const args = seedArguments(project, directory, { most: limits.draftCopyBytes, file: limits.draftFileBytes });
      const seeded = readSeedResult(await runWithInput(command(args), words));
      if (seeded.ok) addDraftUse(directory, seeded.value.bytes);
      return seeded;
    },
    compare: async (directory, project) =>
      readCompareResult(
        await forkedOutput(
          { file: prepared.keeper, args: compareArguments(project, directory), cwd: "/" },
          forker,
          pipes,
        ),
      ),
    holder: (directory, project) => new DraftHolder(directory, project, command),
    hidden: (view, unseen) => findHidden(index, view, memory, unseen),
  };
}

/** SECURITY(T08): without a layer a call changes nothing of the machine. */
function noLayers(view: View): Result<null> {
  const [root] = layerRoots(view);
  if (root === undefined) return ok(null);
  return fail("sandbox_unavailable", `${root.path} may be changed, but this machine cannot mount the layer for it.`, {
    hint: "`sallyport doctor` says why overlays cannot be mounted. Without one, grant the path with mode r.",
  });
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

/** If a box cannot be built, the machine has changed since the probe, so the next process probes again. */
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

/** Why no call can run here with what the configuration requires. Null if calls can run. */
export function sandboxProblem(probe: Probe, require: SandboxOptions["require"]): Probe["problem"] {
  if (probe.mkfifo === null) return mkfifoProblem();
  // SECURITY(T12): without a box nothing runs. Only `require: limits` in the configuration changes that, and each result shows it.
  return require === "limits" ? null : probe.problem;
}

/** A sandbox that refuses every call and says how to fix the problem. Null if there is no problem. */
function unavailableSandbox(probe: Probe, options: SandboxOptions): Sandbox | null {
  const problem = sandboxProblem(probe, options.require);
  if (problem === null) return null;
  const refusal = fail("sandbox_unavailable", `Nothing can be run safely here: ${problem.message}.`, {
    hint: `This would mend it: ${problem.mend}`,
  });
  return {
    probe,
    starter: { name: "none", start: () => Promise.resolve(refusal) },
    openLayers: () => ok(null),
    confine: () => refusal,
    executedTargets: (directories) => executedTargets(new DirectoryIndex(), directories),
    openTree: () => null,
    drafts: null,
    makePrivateDirectory: () => {
      throw new Error("nothing can be run here");
    },
    guardian: null,
    close: () => undefined,
  };
}

/** Removes what killed gates left behind. */
function sweep(probe: Probe, prepared: PreparedFiles, home: LayerHome, stateDirectory: string): void {
  sweepScratchDirectories(prepared.directory);
  sweepDrafts(stateDirectory);
  sweepDiscarded(stateDirectory, Date.now());
  if (probe.cgroupHome !== null) sweepCgroups(probe.cgroupHome);
  home.sweep();
}
