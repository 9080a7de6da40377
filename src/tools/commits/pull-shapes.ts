// What git_pull says, and its plan where it brings a draft up to what the project has now.

import { z } from "zod";
import type { ProjectPull, PulledProject } from "../../git/draft/project-pull.ts";
import type { SessionCommits } from "../../git/publish/push/session-commits.ts";
import { limits } from "../../shared/limits.ts";
import { ok } from "../../shared/result.ts";
import { rootPath, spellWorkspacePath, type WorkspacePath } from "../../workspace/path.ts";
import { planOfWork } from "../files/workspace-plan.ts";
import type { WorkPlan } from "../tool.ts";

export const pullResult = z.object({
  pulled: z.array(z.string()).describe("The first files."),
  count: z.number().optional().describe("How many files were pulled, where not all are listed."),
  more: z.number().optional().describe("How many of them are not listed: list_files shows them."),
  conflicts: z.array(z.string()),
  moreConflicts: z.number().optional(),
  commitSha: z.string(),
  rebased: z.number().optional().describe("How many commits made in the draft are on the project's now."),
  dropped: z.number().optional().describe("How many of them had nothing left to change."),
  notes: z.array(z.string()).optional().describe("What was left out, and why."),
  leftOut: z
    .array(z.object({ path: z.string(), reason: z.string() }))
    .optional()
    .describe(
      "Files that look like secrets, where nobody said yes: the others came. Pulled by name, they are asked about again.",
    ),
  moreLeftOut: z.number().optional(),
});

/** The draft is the session's own, and the project is what it may see: nobody needs to be asked. */
export function planProjectPull({ project, run }: ProjectPull, commits: SessionCommits): WorkPlan {
  const { staged, session } = commits;
  let note = (): void => undefined;
  const plan = planOfWork("git_pull", rootPath, "rw", { place: project, paths: ".", onConflict: "fail" }, async () => {
    // What has landed of a file that the person has changed since says nothing about its changes any more.
    const done = await run((paths) => {
      const noted = new Set([...staged.pulled(session).keys(), ...staged.deleted(session)]);
      const gone = paths.filter((path) => noted.has(path));
      if (gone.length > 0) staged.notePulled(session, [], gone, []);
    });
    if (!done.ok) return done;
    const { commit, changed } = done.value;
    note = () => commits.note("files.pulled", { place: project, commit, files: changed.length });
    return ok(resultOf(done.value));
  });
  return { ...plan, effects: [{ kind: "pull", source: project, at: "here" }], saved: () => note() };
}

function resultOf({ commit, changed, rebased, dropped }: PulledProject): Record<string, unknown> {
  const pulled = changed.map((path) => spellWorkspacePath(path as WorkspacePath));
  return {
    ...pulledList(pulled),
    conflicts: [],
    commitSha: commit,
    rebased,
    ...(dropped > 0 ? { dropped } : {}),
    behind: undefined, // what was noted when the call began is no longer so
  };
}

export function pulledList(pulled: readonly string[]): Record<string, unknown> {
  return {
    ...firstOf("pulled", "more", pulled),
    ...(pulled.length > limits.statusEntries ? { count: pulled.length } : {}),
  };
}

/** The first entries, and how many are left. */
export function firstOf<T>(name: string, rest: string, list: readonly T[]): Record<string, unknown> {
  const shown = list.slice(0, limits.statusEntries);
  return { [name]: shown, ...(shown.length < list.length ? { [rest]: list.length - shown.length } : {}) };
}
