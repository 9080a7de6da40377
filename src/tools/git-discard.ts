// git_discard: deletes a staged commit.

import { z } from "zod";
import { notStaged } from "../git/publish/push/session-commits.ts";
import { ok } from "../shared/result.ts";
import { rootPath } from "../workspace/path.ts";
import type { CommitTool } from "./tool.ts";
import { workspacePlan } from "./files/workspace-plan.ts";

export const commitIdArgument = z.string().min(1).max(100).describe("The id that git_stage gave.");

const discardArguments = z
  .strictObject({ commitId: commitIdArgument })
  .meta({ examples: [{ commitId: "c-1234abcd" }] });

export const gitDiscardTool: CommitTool<z.infer<typeof discardArguments>> = {
  name: "git_discard",
  title: "Discard a staged commit",
  description: "Removes a staged commit. The workspace's files stay as they are.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: "never" },
  arguments: discardArguments,
  result: z.object({}),
  needs: "commits",
  plan: ({ commitId }, _context, commits) =>
    workspacePlan("git_discard", rootPath, "rw", { commit: commitId }, async () => {
      if (!commits.staged.discard(commitId, commits.session)) return notStaged(commitId, commits);
      commits.note("commit.discarded", { commit: commitId });
      return ok({});
    }),
};
