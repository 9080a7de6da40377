// Git that writes to a repository on this machine, as it lands a push: the box that it runs in, and what it sees there.
// Invariant: the repository's git directory can be written, what git has to compare can be read, and nothing else of the
// machine is there: a link that leads elsewhere leads nowhere. No configuration of the repository is in force but what is
// inert of it, and how its files are to be written.

import { lstatSync } from "node:fs";
import type { ActionDraft, Step, View, ViewPath } from "../action/action.ts";
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

/** Not the agent's own limits: it is the person's push. */
const landingLimits: RunLimits = {
  memoryMb: limits.gitLandMemoryMb,
  fsizeMb: limits.gitLandFileMb,
  nofile: limits.gitLandFiles,
  nproc: limits.nproc,
  cpuS: null,
};

/** `pushed`: the grant of the push that lands. Not ended by the caller's signal: what has begun to land is brought to an end. */
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
      const { exitCode, stdout, stderr } = ended.value.outcome;
      const said = exitCode === null || stderr.text.trim() === "" ? describeEnd(ended.value.outcome) : stderr.text;
      return { exitCode, stdout: stdout.text, stderr: exitCode === 0 ? stderr.text : said };
    },
  };
}

function notStarted(why: string): GitWritten {
  return { exitCode: null, stdout: "", stderr: why };
}

function landingDraft({ context }: Walk, repository: Repository, step: Step): ActionDraft {
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
