// What the git_* tools get for one call: the session's staged commits, and targets that read in the box.

import { randomUUID } from "node:crypto";
import { personIdentity } from "../git/identity.ts";
import type { Identity } from "../git/publish/commit.ts";
import { parseBranchName } from "../git/ref-name.ts";
import { findRepository } from "../git/repository.ts";
import type { StagedStore } from "../git/staged.ts";
import { localTarget } from "../git/target/local.ts";
import type { GitTarget } from "../git/target/target.ts";
import type { Capability } from "../policy/capability.ts";
import { fsGrantFor } from "../policy/capability.ts";
import { resolvePath } from "../process/real-path.ts";
import { systemClock } from "../shared/clock.ts";
import { isAbsolutePath, joinPath, parentPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { GitServices, OpenedTarget } from "../tools/git-services.ts";
import type { CallGit } from "./call-git.ts";
import { openRemote, type RemoteContext } from "./remote-services.ts";

export interface GitPlaces {
  readonly session: string;
  readonly staged: StagedStore;
  readonly project: string;
  readonly home: string;
  /** The parent of the gate's own configuration directory. */
  readonly configHome: string;
  readonly defaultTarget: GitTarget | null;
  /** null: by the person's own git configuration. */
  readonly author: Identity | null;
}

export function callServices(
  places: GitPlaces,
  git: CallGit,
  capability: Capability,
  remote: RemoteContext,
  { note, progress }: Pick<GitServices, "note" | "progress">,
): GitServices {
  return {
    session: places.session,
    staged: places.staged,
    defaultTarget: places.defaultTarget,
    author: () => places.author ?? personIdentity(places.home, places.configHome),
    now: () => systemClock.now(),
    newId: () => `c-${randomUUID().slice(0, 8)}`,
    note,
    progress,
    async open(target) {
      const branch = target.branch === undefined ? ok(null) : parseBranchName(target.branch);
      if (!branch.ok) return branch;
      if (target.type === "local" || target.type === "local-bare")
        return openLocal(target, branch.value, places, git, capability);
      return await openRemote(target, branch.value, remote);
    },
  };
}

function openLocal(
  { type, path }: Extract<GitTarget, { path: string }>,
  branch: string | null,
  { project }: GitPlaces,
  git: CallGit,
  capability: Capability,
): Result<OpenedTarget> {
  const { real } = resolvePath(isAbsolutePath(path) ? path : joinPath(project, path));
  const { repository, directories } = findRepository(real);
  const missing = directories.find((directory) => fsGrantFor(capability, directory, "r") === undefined);
  if (missing !== undefined)
    return fail("fs_denied", `Not allowed to read ${missing}: no grant covers it.`, {
      hint: `Whoever runs this gate can add { path: ${JSON.stringify(missing)}, mode: r } to the agent's fs_grants.`,
    });
  if (!repository.ok)
    return fail("invalid_args", `target.path: ${JSON.stringify(path)} is not a repository.`, {
      hint: "Name the directory that holds its .git, or a bare repository.",
    });
  if (type === "local-bare" && repository.value.workTree !== null)
    return fail("invalid_args", `target.type: ${JSON.stringify(path)} has a work tree.`, {
      hint: 'Use "local" for it.',
    });
  const target = localTarget({ repository: repository.value, branch, git });
  return ok({
    look: () => target.look(),
    async land(landing, progress) {
      const landed = await target.land(landing, progress);
      return landed.ok
        ? ok(landed.value.kept.map(({ path }) => `${path} was changed meanwhile, and is as you left it`))
        : landed;
    },
  });
}

/** `~/.config` of `~/.config/sallyport`. */
export function configHomeOf(configDirectory: string): string {
  return parentPath(configDirectory);
}
