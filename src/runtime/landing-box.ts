// One git that writes to a repository on this machine, as it lands a push: the box that it runs in, and what it sees there.
// Invariant: the repository's git directory can be written, what git has to compare can be read, and nothing else of the
// machine is there: a link that leads elsewhere leads nowhere. No configuration of the repository is in force but what is
// inert of it, and how its files are to be written.

import { lstatSync } from "node:fs";
import type { Action, Step, View, ViewPath } from "../action/action.ts";
import type { GitStep } from "../tools/programs/git-step.ts";
import { landingConfig } from "../git/inert-config.ts";
import { objectDirectories, type Repository } from "../git/repository.ts";
import { configText } from "../git/target/local/local-work-trees.ts";
import { type Capability, fsGrantFor } from "../policy/capability.ts";
import { limits } from "../shared/limits.ts";
import { isWithin, joinPath } from "../shared/path.ts";
import type { RunLimits } from "../shared/run-limits.ts";
import { seal } from "./seal.ts";

export interface LandingBox {
  readonly tool: string;
  readonly agent: string;
  readonly capability: Capability;
  readonly repository: Repository;
  readonly step: GitStep["step"];
}

/** Not the agent's own limits: it is the person's push. */
const landingLimits: RunLimits = {
  memoryMb: limits.gitLandMemoryMb,
  fsizeMb: limits.gitLandFileMb,
  nofile: limits.gitLandFiles,
  nproc: limits.nproc,
  cpuS: null,
};

export function landingAction({ tool, agent, capability, repository, step }: LandingBox): Action {
  const { configFile, commonDirectory } = repository;
  const files = configFile === null ? [] : [{ path: configFile.path, content: landingConfig(configText(repository)) }];
  const own: Step = { ...step, files };
  return seal({
    tool,
    agent,
    steps: [own],
    operation: null,
    contents: [],
    stopsAtFailure: true,
    view: landingView(repository, step.program, capability),
    effects: [{ kind: "write", path: commonDirectory }],
    limits: landingLimits,
  });
}

function landingView(
  { gitDirectory, commonDirectory, workTree }: Repository,
  git: string,
  capability: Capability,
): View {
  const written = isWithin(gitDirectory, commonDirectory) ? [commonDirectory] : [commonDirectory, gitDirectory];
  const hooks = joinPath(commonDirectory, "hooks");
  // Lent by other repositories, as far as the agent may read them.
  const lent = objectDirectories(commonDirectory).filter(
    (path) => !isWithin(path, commonDirectory) && fsGrantFor(capability, path, "r") !== undefined,
  );
  const read = [...lent, ...(workTree === null ? [] : [workTree]), ...(isDirectory(hooks) ? [hooks] : []), git];
  const at = (path: string, mode: ViewPath["mode"]): ViewPath => ({ path, mode, hide: [] });
  return {
    // SECURITY(T36): what is not here cannot be reached, whatever a link in the repository says.
    paths: [...read.map((path) => at(path, "r")), ...written.map((path) => at(path, "rw"))],
    links: [],
    workspace: { kind: "scratch" },
    opens: written,
    network: "none",
  };
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
