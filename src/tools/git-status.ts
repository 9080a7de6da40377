// git_status: lists staged commits, and workspace files that differ from what it began with.

import { z } from "zod";
import { limits } from "../shared/limits.ts";
import { ok } from "../shared/result.ts";
import { compareWorkspacePaths, rootPath, workspaceRoot } from "../workspace/path.ts";
import { afterArgument, pathsArgument, shownCommits, stagedCommitShape } from "./commits/staged-shapes.ts";
import type { CommitTool } from "./tool.ts";
import { workspacePlan } from "./files/workspace-plan.ts";
import type { MadeCommits } from "../git/publish/push/compared-base.ts";
import type { ChangedInProject } from "../git/publish/push/session-commits.ts";
import { WantedPaths } from "../git/publish/push/wanted-paths.ts";

const statusArguments = z
  .strictObject({ paths: pathsArgument.optional(), after: afterArgument.optional() })
  .meta({ examples: [{}, { paths: ["src"] }] });

export const gitStatusTool: CommitTool<z.infer<typeof statusArguments>> = {
  name: "git_status",
  title: "Workspace status",
  description:
    "Shows staged commits, and workspace files that differ from what it began with and are not staged as they are. Leaves out what .gitignore names.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: "never" },
  arguments: statusArguments,
  result: z.object({
    staged: z.array(stagedCommitShape),
    unstaged: z.array(z.object({ path: z.string(), status: z.enum(["new", "modified", "deleted"]) })),
    more: z.number().optional().describe("How many further files differ: `after` shows them."),
    moreStaged: z.number().optional().describe("How many older staged commits there are."),
    commits: z
      .array(z.object({ id: z.string(), message: z.string() }))
      .optional()
      .describe("Commits made in a draft since it began: the newest, oldest first."),
    moreCommits: z.number().optional().describe("How many older ones there are."),
    inProject: z
      .array(z.object({ path: z.string(), status: z.enum(["new", "modified", "deleted"]) }))
      .optional()
      .describe(
        "Files that a person has changed in the project since the draft began: the draft has them as they were.",
      ),
    moreInProject: z.number().optional().describe("How many further ones there are."),
    ignored: z.number().optional().describe("How many new files .gitignore names."),
  }),
  needs: "commits",
  plan({ paths, after }, { workspace }, commits) {
    const wanted = WantedPaths.parse(
      paths?.map((path) => workspace.spelled(path)),
      after && workspace.spelled(after),
    );
    if (!wanted.ok) return wanted;
    const details = { paths: paths?.join(", ") ?? null, ...(after === undefined ? {} : { after }) };
    return workspacePlan("git_status", rootPath, "r", details, async (files) => {
      const staged = commits.staged.list(commits.session);
      // For each path the newest commit counts, because an older one was made from an older state.
      const latest = new Map(staged.flatMap((commit) => commit.files.map((file) => [file.path, file.after] as const)));
      const found = await commits.base.changed(files, wanted.value, latest);
      if (!found.ok) return found;
      const made = await commits.base.commits();
      if (!made.ok) return made;
      const { ignored } = found.value;
      const changes = wanted.value.page(found.value.changes, compareWorkspacePaths);
      const shown = changes.slice(0, limits.statusEntries);
      return ok({
        ...shownCommits(staged),
        unstaged: shown.map(({ path, status }) => ({ path: `${workspaceRoot}/${path}`, status })),
        ...(shown.length < changes.length ? { more: changes.length - shown.length } : {}),
        ...(made.value === null ? {} : shownMade(made.value)),
        ...shownInProject(commits.inProject ?? null, wanted.value),
        ...(ignored !== null && ignored > 0 ? { ignored } : {}),
      });
    });
  },
};

function shownMade({ count, newest }: MadeCommits): object {
  return { commits: newest, ...(newest.length < count ? { moreCommits: count - newest.length } : {}) };
}

function shownInProject(changed: ChangedInProject | null, wanted: WantedPaths): object {
  if (changed === null || changed.count === 0) return {};
  const later = wanted.page(changed.files, compareWorkspacePaths);
  const shown = later.slice(0, limits.statusEntries / 2);
  const count = changed.count - (changed.files.length - later.length);
  return {
    inProject: shown.map(({ path, status }) => ({ path: `${workspaceRoot}/${path}`, status })),
    ...(shown.length < count ? { moreInProject: count - shown.length } : {}),
  };
}
