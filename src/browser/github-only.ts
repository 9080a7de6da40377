// The repositories that a gate in a browser reads and lands in: those at GitHub, with the token of the person who is signed in.

import { parseBranchName } from "../git/ref-name.ts";
import type { Targets } from "../git/publish/push/opened-target.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { type GithubAccess, openGithub } from "../runtime/github-repository.ts";
import type { Repositories, Walk } from "../runtime/walk.ts";

export function githubOnly(access: () => GithubAccess): Repositories {
  const targets = (walk: Walk): Targets => ({
    async open(target) {
      const branch = target.branch === undefined ? ok(null) : parseBranchName(target.branch);
      if (!branch.ok) return branch;
      if (target.type === "github") return await openGithub(target.repo, branch.value, walk, access());
      return fail("invalid_args", `type: ${JSON.stringify(target.type)} is not there in a browser.`, {
        hint: 'Use { "type": "github", "repo": "owner/name" }.',
      });
    },
  });
  return {
    targets,
    callStart: ({ context: { capability, live } }) => ({
      isDryRun: live === null,
      capability,
      progress: (done, total, what) => live?.listener.onProgress?.(done, total, what),
      personIgnores: () => "",
      began: (draft) => live?.record.note("session.began", draft),
      readRepository: async () => noGit,
      runInside: async () => noGit,
    }),
    gitInside: () => ({ read: async () => noGit }),
    landingRight: () => ({
      get writer(): never {
        throw new Error(NO_GIT);
      },
      runForPerson: () => Promise.reject(new Error(NO_GIT)),
    }),
  };
}

const NO_GIT = "There is no git in a browser.";
const noGit: Result<never> = fail("tool_failed", NO_GIT);
