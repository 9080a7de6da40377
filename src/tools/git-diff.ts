// git_diff: shows a staged commit, or the whole workspace, as a unified diff against what was pulled.

import { z } from "zod";
import { diffFiles, type FilePair, type FileSide } from "../git/publish/diff.ts";
import { renderDiffText } from "../git/publish/diff-text.ts";
import type { FileState, StagedStore } from "../git/staged.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import { rootPath, type WorkspacePath } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { commitIdArgument } from "./git-discard.ts";
import { notStaged, type SessionCommits } from "../git/publish/push/session-commits.ts";
import type { CommitTool } from "./tool.ts";
import { workspacePlan } from "./files/workspace-plan.ts";
import { differences, freeze } from "../git/publish/push/workspace-state.ts";

const diffArguments = z
  .strictObject({
    commitId: commitIdArgument.optional().describe("A staged commit. Default: all that is not as it was pulled."),
  })
  .meta({ examples: [{}, { commitId: "c-1234abcd" }] });

export const gitDiffTool: CommitTool<z.infer<typeof diffArguments>> = {
  name: "git_diff",
  title: "Show a diff",
  description:
    "Shows a staged commit, or the workspace, as a unified diff against what was pulled. git_push shows a person the diff against the target.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: "never" },
  arguments: diffArguments,
  result: z.object({ diff: z.string() }),
  needs: "commits",
  plan: ({ commitId }, _context, commits) =>
    workspacePlan("git_diff", rootPath, "r", { commit: commitId ?? null }, async (files) => {
      const pairs = commitId === undefined ? await workspacePairs(files, commits) : stagedPairs(commitId, commits);
      return pairs.ok ? renderPairs(pairs.value) : pairs;
    }),
};

function renderPairs(pairs: readonly FilePair[]): Result<Record<string, unknown>> {
  const text = renderDiffText(diffFiles(pairs));
  if (text.length > limits.diffBytes)
    return fail("tool_failed", `The diff has ${text.length} characters; at most ${limits.diffBytes} are returned.`, {
      hint: "Stage fewer files, and look at them commit by commit.",
    });
  return ok({ diff: text });
}

function stagedPairs(commitId: string, commits: SessionCommits): Result<FilePair[]> {
  const { staged, session } = commits;
  const commit = staged.find(commitId, session);
  if (commit === undefined) return notStaged(commitId, commits);
  return ok(
    commit.files.map(({ path, before, after }) => ({
      path,
      before: sideOf(before, staged, session),
      after: sideOf(after, staged, session),
    })),
  );
}

/** Uses the content hash as the id, because no repository is read. */
function sideOf(state: FileState | null, staged: StagedStore, session: SessionId): FileSide | null {
  return state === null
    ? null
    : { mode: state.mode, id: state.contentHash, content: staged.content(state.contentHash, session) };
}

async function workspacePairs(
  files: Workspace,
  { staged, session, hashes }: SessionCommits,
): Promise<Result<FilePair[]>> {
  const pulled = staged.pulled(session);
  const pairs: FilePair[] = [];
  for (const { path } of await differences(files, pulled, () => false, hashes)) {
    const entry = await files.entry(path as WorkspacePath);
    const now = entry === undefined ? null : await freeze(path as WorkspacePath, entry, files, hashes);
    const after = now === null ? null : { mode: now.state.mode, id: now.state.contentHash, content: now.bytes };
    pairs.push({ path, before: sideOf(pulled.get(path) ?? null, staged, session), after });
  }
  return ok(pairs);
}
