// git_discard: throws a staged commit away.

import { z } from "zod";
import { fail, ok } from "../shared/result.ts";
import { rootPath } from "../workspace/path.ts";
import type { Tool } from "./tool.ts";
import { workspacePlan } from "./workspace-plan.ts";

export const commitIdArgument = z.string().min(1).max(100).describe("The id that git_stage gave.");

const discardArguments = z
  .strictObject({ commitId: commitIdArgument })
  .meta({ examples: [{ commitId: "c-1234abcd" }] });

export const gitDiscardTool: Tool<z.infer<typeof discardArguments>> = {
  name: "git_discard",
  title: "Discard a staged commit",
  description: "Throws a staged commit away. The workspace's files stay as they are.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: "never" },
  arguments: discardArguments,
  result: z.object({}),
  plan: ({ commitId }, { git }) =>
    workspacePlan("git_discard", rootPath, "rw", { commit: commitId }, async () => {
      if (!git.staged.discard(commitId, git.session)) return notStaged(commitId);
      git.note("commit.discarded", { commit: commitId });
      return ok({});
    }),
};

export function notStaged(commitId: string) {
  return fail("not_found", `There is no staged commit ${JSON.stringify(commitId)} in this session.`, {
    hint: "git_status lists them.",
  });
}
