// Runs git in a box to land a push in a repository on this machine.
// Invariant: git can write the repository's git directory and read what it has to compare. The box shows nothing else of the machine,
// so a link that leads elsewhere is broken. Of the repository's configuration, only harmless settings and those on how to write its
// files apply.

import { lstatSync } from "node:fs";
import type { UnsealedAction, Step, View, ViewPath } from "../action/action.ts";
import type { Grant } from "../approval/grant.ts";
import { landingConfig } from "../git/inert-config.ts";
import { objectDirectories, type Repository } from "../git/repository.ts";
import type { GitWriter, GitWritten } from "../git/target/local/git-runner.ts";
import { configText } from "../git/target/local/local-work-trees.ts";
import { type Capability, fsGrantFor } from "../policy/capability.ts";
import { limits } from "../shared/limits.ts";
import { isWithin, joinPath } from "../shared/path.ts";
import type { RunLimits } from "../shared/run-limits.ts";
import { gitStep } from "../tools/programs/git-step.ts";
import { describeEnd } from "./git-reader.ts";
import type { Walk } from "./walk.ts";

/** These are not the agent's limits, because the push belongs to the person. */
const landingLimits: RunLimits = {
  memoryMb: limits.gitLandMemoryMb,
  fsizeMb: limits.gitLandFileMb,
  nofile: limits.gitLandFiles,
  nproc: limits.nproc,
  cpuS: null,
};

/** `pushed`: the grant of the push that lands. The caller's signal does not stop it, because a landing that has begun must be completed. */
export function landingGit(walk: Walk, pushed: Grant): GitWriter {
  return {
    hidesConfiguration: walk.context.session.backend.sandbox.probe.problem === null,
    async write(repository, words, stdin, environment = {}) {
      const made = gitStep(repository, {
        words,
        cwd: "/",
        variables: {},
        timeoutMs: limits.gitLandS * 1000,
        stdoutBytes: limits.outputDefaultBytes,
        stderrBytes: limits.outputDefaultBytes,
        showsOwnConfig: false,
      });
      if (!made.ok) return notStarted(made.failure.message);
      const all = [...made.value.step.environment, ...Object.entries(environment)];
      const sorted = all.sort(([a], [b]) => (a < b ? -1 : 1));
      const grant = walk.grantToLand(
        landingDraft(walk, repository, { ...made.value.step, environment: sorted }),
        pushed,
      );
      const [step] = grant.action.steps;
      if (step === undefined) throw new TypeError("a landing has a step");
      const listener = stdin === null ? {} : { input: stdin };
      const ended = await walk.start(grant, step, { listener, isOnRecord: true });
      if (!ended.ok) return notStarted(ended.failure.message);
      const { exitCode, stdout, stderr } = ended.value;
      const reason = exitCode === null || stderr.text.trim() === "" ? describeEnd(ended.value) : stderr.text;
      return { exitCode, stdout: stdout.text, stderr: exitCode === 0 ? stderr.text : reason };
    },
  };
}

function notStarted(why: string): GitWritten {
  return { exitCode: null, stdout: "", stderr: why };
}

function landingDraft({ context }: Walk, repository: Repository, step: Step): UnsealedAction {
  const { configFile, commonDirectory } = repository;
  const files = configFile === null ? [] : [{ path: configFile.path, content: landingConfig(configText(repository)) }];
  return {
    tool: context.tool,
    agent: context.session.id.agent,
    steps: [{ ...step, files }],
    operation: null,
    contents: [],
    stopsAtFailure: true,
    view: landingView(repository, step.program, context.capability),
    effects: [{ kind: "write", path: commonDirectory }],
    limits: landingLimits,
  };
}

function landingView(
  { gitDirectory, commonDirectory, workTree }: Repository,
  git: string,
  capability: Capability,
): View {
  const written = isWithin(gitDirectory, commonDirectory) ? [commonDirectory] : [commonDirectory, gitDirectory];
  const hooks = joinPath(commonDirectory, "hooks");
  // Object directories of other repositories that this one borrows from, if the agent may read them.
  const lent = objectDirectories(commonDirectory).filter(
    (path) => !isWithin(path, commonDirectory) && fsGrantFor(capability, path, "r") !== undefined,
  );
  const read = [...lent, ...(workTree === null ? [] : [workTree]), ...(isDirectory(hooks) ? [hooks] : []), git];
  const at = (path: string, mode: ViewPath["mode"]): ViewPath => ({ path, mode, hide: [] });
  return {
    // SECURITY(T36): git cannot reach anything outside these paths, whatever links the repository contains.
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
