// What the git_* tools get for one call: the session's staged commits, and targets that read in the box.

import { randomUUID } from "node:crypto";
import type { Step } from "../action/action.ts";
import type { Grant } from "../approval/grant.ts";
import type { ConfigEntry } from "../git/config-file.ts";
import { type Author, authorOf, passedOver } from "../git/identity.ts";
import { readPersonSettings } from "../git/person-config.ts";
import type { Identity } from "../git/publish/commit.ts";
import { parseBranchName } from "../git/ref-name.ts";
import { findRepository, type Repository, workTreeClaim } from "../git/repository.ts";
import type { StagedStore } from "../git/staged.ts";
import { localTarget } from "../git/target/local/local.ts";
import { branchOfHead, repositorySettings } from "../git/target/local/local-work-trees.ts";
import type { GitTarget } from "../git/target/target.ts";
import type { Capability } from "../policy/capability.ts";
import { nodeHashes } from "../process/node-hashes.ts";
import { resolvePath } from "../process/real-path.ts";
import { systemClock } from "../shared/clock.ts";
import { isAbsolutePath, joinPath, parentPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import { notGranted } from "../tools/programs/git-step.ts";
import type { GitServices, OpenedTarget } from "../tools/commits/git-services.ts";
import { CallGit, type CallGitContext } from "./call-git.ts";
import { openRemote, type RemoteContext, type RemoteOptions } from "./remote-services.ts";

export interface GitSettings {
  readonly session: SessionId;
  readonly staged: StagedStore;
  readonly project: string;
  readonly home: string;
  /** The parent of the gate's own configuration directory. */
  readonly configHome: string;
  readonly defaultTarget: GitTarget | null;
  /** null: by the person's own git configuration, and the target's where no agent can change that. */
  readonly author: Identity | null;
  /** True for what some agent of the configuration may change, this one or another. */
  readonly isWritable: (path: string) => boolean;
}

/** What a call lends its git: whom to ask, where to write down, whom to tell. */
export interface CallHooks extends Pick<GitServices, "note" | "progress"> {
  readonly dispatched: (step: Step) => void;
  readonly contact: RemoteContext["contact"];
  readonly signal: AbortSignal | undefined;
}

export interface OpenCallGit {
  readonly git: GitServices;
  /** From now on, what lands lands under this grant. */
  readonly allow: (grant: Grant) => void;
}

export interface CallGitSettings extends Pick<
  CallGitContext,
  "tool" | "agent" | "capability" | "policy" | "sandbox" | "command"
> {
  readonly gitSettings: GitSettings;
  readonly remoteOptions: RemoteOptions;
}

export function openCallGit(places: CallGitSettings, hooks: CallHooks): OpenCallGit {
  const { signal, dispatched, contact } = hooks;
  const runner = new CallGit({ ...places, signal, dispatched });
  const remote = { places: places.remoteOptions, contact, granted: () => runner.grant, signal };
  const git = callServices(places.gitSettings, runner, places.capability, remote, hooks);
  return { git, allow: (grant) => runner.allow(grant) };
}

function callServices(
  places: GitSettings,
  git: CallGit,
  capability: Capability,
  remote: RemoteContext,
  { note, progress }: Pick<GitServices, "note" | "progress">,
): GitServices {
  return {
    session: places.session,
    staged: places.staged,
    defaultTarget: places.defaultTarget,
    localPlace: (path) => localPlace(path, places),
    hashes: nodeHashes,
    now: () => systemClock.now(),
    newId: () => `c-${randomUUID().slice(0, 8)}`,
    note,
    progress,
    async open(target) {
      const branch = target.branch === undefined ? ok(null) : parseBranchName(target.branch);
      if (!branch.ok) return branch;
      if (target.type === "local" || target.type === "local-bare")
        return openLocal(target, branch.value, places, git, capability);
      const opened = await openRemote(target, branch.value, remote);
      if (!opened.ok) return opened;
      // Where the person would commit from, for settings that depend on that.
      const around = () => findRepository(resolvePath(places.project).real).repository;
      return ok({ ...opened.value, author: () => authorBy(places, settingsAround(places, around())) });
    },
  };
}

function localPlace(path: string, { project }: GitSettings): string {
  return resolvePath(isAbsolutePath(path) ? path : joinPath(project, path)).real;
}

function openLocal(
  { type, path }: Extract<GitTarget, { path: string }>,
  branch: string | null,
  places: GitSettings,
  git: CallGit,
  capability: Capability,
): Result<OpenedTarget> {
  const { repository, directories } = findRepository(localPlace(path, places));
  const denied = notGranted(directories, { capability });
  if (denied !== null) return denied;
  if (!repository.ok)
    return fail("invalid_args", repository.failure.message.replace(/^repo:/, "path:"), {
      hint: repository.failure.hint,
    });
  const { workTree, gitDirectory } = repository.value;
  // SECURITY(T20): a person reads the one name and a rule names it, and what is pushed would land under another.
  if (workTree !== null && workTreeClaim(repository.value) === "untold" && places.isWritable(workTree))
    return fail(
      "invalid_args",
      `path: the .git of ${JSON.stringify(path)} leads to ${JSON.stringify(gitDirectory)}, which does not say that this is its work tree; and an agent can write such a .git.`,
      {
        hint: `Name ${gitDirectory} itself; or a person runs \`git --git-dir=${gitDirectory} config core.worktree ${workTree}\`.`,
      },
    );
  if (type === "local-bare" && workTree !== null)
    return fail("invalid_args", `type: ${JSON.stringify(path)} has a work tree.`, {
      hint: 'Use "local" for it.',
    });
  const settings = settingsAround(places, repository);
  const target = localTarget({ repository: repository.value, branch, git, settings });
  return ok({
    author: () => localAuthor(places, settings, repository.value),
    look: (paths) => target.look(paths),
    check: async (landing) => notGranted(landing.state.checkedOut, { capability }) ?? target.check(landing),
    async land(landing, progress) {
      const ungranted = notGranted(landing.state.checkedOut, { capability });
      if (ungranted !== null) return ungranted;
      const landed = await target.land(landing, progress);
      return landed.ok
        ? ok(landed.value.kept.map(({ path }) => `${path} was changed meanwhile, and is as you left it`))
        : landed;
    },
  });
}

/** The person's own settings, as they are for this repository. */
function settingsAround({ home, configHome }: GitSettings, around: Result<Repository>): ConfigEntry[] {
  if (!around.ok) return readPersonSettings({ home, configHome }, null);
  const urls = repositorySettings(around.value).filter(({ section, key }) => section === "remote" && key === "url");
  return readPersonSettings(
    { home, configHome },
    {
      gitDirectory: around.value.gitDirectory,
      branch: branchOfHead(around.value.gitDirectory),
      remoteUrls: urls.flatMap(({ value }) => value ?? []),
    },
  );
}

/**
 * SECURITY(T36): who commits is never read from a repository that an agent can change: the name stands in the log of the
 * branch and in every commit, and would be the agent's own text there.
 */
function localAuthor(places: GitSettings, settings: readonly ConfigEntry[], repository: Repository): Author {
  const own = repositorySettings(repository);
  const { commonDirectory, gitDirectory, configFile } = repository;
  const written = [commonDirectory, gitDirectory, ...(configFile === null ? [] : [configFile.path])];
  if (!written.some(places.isWritable)) return authorBy(places, [...settings, ...own]);
  const author = authorBy(places, settings);
  return places.author === null ? { ...author, passedOver: passedOver(author, own) } : author;
}

function authorBy({ author }: GitSettings, settings: readonly ConfigEntry[]): Author {
  return author === null ? authorOf(settings) : { ...author, guessed: [] };
}

/** `~/.config` of `~/.config/sallyport`. */
export function configHomeOf(configDirectory: string): string {
  return parentPath(configDirectory);
}
