// git_discard: throws a staged commit away.

import { z } from "zod";
import type { PushResult } from "../git/staged.ts";
import { fail, ok } from "../shared/result.ts";
import { rootPath } from "../workspace/path.ts";
import type { GitServices } from "./commits/git-services.ts";
import type { Tool } from "./tool.ts";
import { workspacePlan } from "./files/workspace-plan.ts";

export const commitIdArgument = z.string().min(1).max(100).describe("The id that git_stage gave.");

const discardArguments = z
  .strictObject({ commitId: commitIdArgument })
  .meta({ examples: [{ commitId: "c-1234abcd" }] });

export const gitDiscardTool: Tool<z.infer<typeof discardArguments>> = {
  name: "git_discard",
  title: "Discard a staged commit",
  description:
    "Throws a staged commit away. The workspace's files stay as they are. One that has landed cannot be discarded.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: "never" },
  arguments: discardArguments,
  result: z.object({}),
  plan: ({ commitId }, { git }) =>
    workspacePlan("git_discard", rootPath, "rw", { commit: commitId }, async () => {
      if (!git.staged.discard(commitId, git.session)) return notStaged(commitId, git);
      git.note("commit.discarded", { commit: commitId });
      return ok({});
    }),
};

export function notStaged(commitId: string, { staged, session }: Pick<GitServices, "staged" | "session">) {
  const landed = staged.landed(commitId, session)?.result;
  if (landed !== undefined)
    return fail("not_found", `${commitId} is no longer staged: ${describeLanded(landed)}.`, {
      hint: "Stage the files again for another push. What has landed is taken back with git, by a person.",
    });
  return fail("not_found", `There is no staged commit ${JSON.stringify(commitId)} in this session.`, {
    hint: "git_status lists them.",
  });
}

export function describeLanded({ commitSha, branch, target }: PushResult): string {
  return `it has landed as ${commitSha} on ${branch} of ${target}`;
}
