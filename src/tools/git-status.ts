// git_status: lists staged commits, and workspace files that differ from what was pulled.

import { z } from "zod";
import { ok } from "../shared/result.ts";
import { rootPath, workspaceRoot } from "../workspace/path.ts";
import { stagedCommitShape, stagedResult } from "./commits/staged-shapes.ts";
import type { CommitTool } from "./tool.ts";
import { workspacePlan } from "./files/workspace-plan.ts";
import { differences, isSameState } from "../git/publish/push/workspace-state.ts";

const statusArguments = z.strictObject({}).meta({ examples: [{}] });

export const gitStatusTool: CommitTool<z.infer<typeof statusArguments>> = {
  name: "git_status",
  title: "Workspace status",
  description:
    "Shows staged commits, and workspace files that differ from what was pulled and are not staged as they are.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: "never" },
  arguments: statusArguments,
  result: z.object({
    staged: z.array(stagedCommitShape),
    unstaged: z.array(z.object({ path: z.string(), status: z.enum(["new", "modified", "deleted"]) })),
  }),
  needs: "commits",
  plan: (_args, _context, commits) =>
    workspacePlan("git_status", rootPath, "r", {}, async (files) => {
      const staged = commits.staged.list(commits.session);
      // For each path the newest commit counts, because an older one was made from an older state.
      const latest = new Map(staged.flatMap((commit) => commit.files.map((file) => [file.path, file.after] as const)));
      const unstaged = await differences(
        files,
        commits.staged.pulled(commits.session),
        (path, state) => (latest.has(path) ? isSameState(latest.get(path), state) : false),
        commits.hashes,
      );
      const spelled = unstaged.map(({ path, status }) => ({ path: `${workspaceRoot}/${path}`, status }));
      return ok({ staged: staged.map(stagedResult), unstaged: spelled });
    }),
};
