// Opens the repositories that a call reads and lands in: those of this machine within the agent's grants, others for the person.

import { findRepository, workTreeClaim } from "../git/repository.ts";
import { parseBranchName } from "../git/ref-name.ts";
import type { OpenedTarget, Targets } from "../git/publish/push/opened-target.ts";
import { localTarget } from "../git/target/local/local.ts";
import type { GitTarget } from "../git/target/target.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { notGranted } from "../tools/programs/git-step.ts";
import { isWritableByAgents, localAuthor, settingsAround } from "./commit-author.ts";
import { boxedGitReader, callStart, gitInside } from "./git-reader.ts";
import { landingGit } from "./landing-git.ts";
import { localAddress } from "./plan-call.ts";
import { openRemote, personRunner } from "./remote-targets.ts";
import type { Repositories, Walk } from "./walk.ts";

/** The repositories that this machine can reach: on its disk, at a URL that git supports, and on GitHub. */
export const machineRepositories: Repositories = {
  targets: openTargets,
  callStart,
  gitInside,
  landingRight: (walk, grant) => ({ writer: landingGit(walk, grant), runForPerson: personRunner(grant, walk) }),
};

function openTargets(walk: Walk): Targets {
  return {
    async open(target) {
      const branch = target.branch === undefined ? ok(null) : parseBranchName(target.branch);
      if (!branch.ok) return branch;
      return target.type === "local" || target.type === "local-bare"
        ? openLocal(target, branch.value, walk)
        : await openRemote(target, branch.value, walk);
    },
  };
}

/** Checks the grant first, and then whether the repository exists. */
function openLocal(
  { type, path }: Extract<GitTarget, { path: string }>,
  branch: string | null,
  walk: Walk,
): Result<OpenedTarget> {
  const { capability, session } = walk.context;
  const { config } = session.backend;
  const { repository, directories } = findRepository(localAddress(path, session));
  const denied = notGranted(directories, capability);
  if (denied !== null) return denied;
  if (!repository.ok)
    return fail("invalid_args", repository.failure.message.replace(/^repo:/, "path:"), {
      hint: repository.failure.hint,
    });
  const { workTree, gitDirectory } = repository.value;
  // SECURITY(T20): a person and a rule would see one name, and the push would land in another repository.
  if (workTree !== null && workTreeClaim(repository.value) === "unknown" && isWritableByAgents(workTree, config))
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
  const settings = settingsAround(config, repository);
  const target = localTarget({ repository: repository.value, branch, git: boxedGitReader(walk), settings });
  return ok({
    author: () => localAuthor(config, settings, repository.value),
    readState: (paths) => target.readState(paths),
    check: async (landing) => notGranted(landing.state.checkedOut, capability) ?? target.check(landing),
    async land(landing, { writer }, progress) {
      const ungranted = notGranted(landing.state.checkedOut, capability);
      if (ungranted !== null) return ungranted;
      const landed = await target.land(landing, writer, progress);
      return landed.ok
        ? ok(landed.value.kept.map(({ path }) => `${path} was changed meanwhile, and is as you left it`))
        : landed;
    },
  });
}
