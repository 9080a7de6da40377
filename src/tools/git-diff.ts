// git_diff: shows a staged commit, or the workspace, as a unified diff against what it began with.

import { z } from "zod";
import type { DiffFile } from "../action/diff-file.ts";
import { compareCodePoints, diffFiles, type FileSide } from "../git/publish/diff.ts";
import { renderDiffText, renderDiffStat, statLine } from "../git/publish/diff-text.ts";
import type { FileState, StagedStore } from "../git/staged.ts";
import { limits } from "../shared/limits.ts";
import { ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import { rootPath } from "../workspace/path.ts";
import { afterArgument, pathsArgument } from "./commits/staged-shapes.ts";
import { WantedPaths } from "../git/publish/push/wanted-paths.ts";
import { commitIdArgument } from "./git-discard.ts";
import { notStaged, type SessionCommits } from "../git/publish/push/session-commits.ts";
import type { CommitTool } from "./tool.ts";
import { workspacePlan } from "./files/workspace-plan.ts";
import { type ChangedPairs, sideWith, workspacePairs } from "../git/publish/push/workspace-pairs.ts";

const diffArguments = z
  .strictObject({
    commitId: commitIdArgument.optional().describe("A staged commit. Default: all that is not as it was pulled."),
    paths: pathsArgument.optional(),
    after: afterArgument.optional(),
    stat: z.boolean().optional().describe("Only the numbers of added and removed lines, a line for each file."),
  })
  .meta({ examples: [{}, { paths: ["src"], stat: true }, { commitId: "c-1234abcd" }] });

type DiffArguments = z.infer<typeof diffArguments>;

export const gitDiffTool: CommitTool<DiffArguments> = {
  name: "git_diff",
  title: "Show a diff",
  description:
    "Shows a staged commit, or the workspace without what .gitignore names, as a unified diff against what it began with.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: "never" },
  arguments: diffArguments,
  result: z.object({
    diff: z.string(),
    more: z.number().optional().describe("How many further files differ."),
    leftOut: z.array(z.string()).optional().describe("The first of them, with the numbers of their lines."),
    hint: z.string().optional(),
    ignored: z.number().optional().describe("How many new files .gitignore names."),
  }),
  needs: "commits",
  plan({ commitId, paths, after, stat = false }, { workspace }, commits) {
    const wanted = WantedPaths.parse(
      paths?.map((path) => workspace.spelled(path)),
      after && workspace.spelled(after),
    );
    if (!wanted.ok) return wanted;
    const details = {
      commit: commitId ?? null,
      paths: paths?.join(", ") ?? null,
      ...(after === undefined ? {} : { after }),
      stat,
    };
    return workspacePlan("git_diff", rootPath, "r", details, async (files) => {
      const found =
        commitId === undefined
          ? await workspacePairs(files, commits, wanted.value)
          : await stagedPairs(commitId, commits, wanted.value);
      if (!found.ok) return found;
      const { pairs, ignored } = found.value;
      const changed = wanted.value.page(diffFiles(pairs), compareCodePoints);
      const text = stat ? statOf(changed) : diffOf(changed, wanted.value);
      return ok({ ...text, ...(ignored !== null && ignored > 0 ? { ignored } : {}) });
    });
  },
};

interface DiffResult {
  readonly diff: string;
  readonly more?: number;
  readonly leftOut?: readonly string[];
  readonly hint?: string;
}

/** Whole files, as many as fit. There is more room for a file that the call names itself: else nobody could see a long one. */
function diffOf(files: readonly DiffFile[], wanted: WantedPaths): DiffResult {
  const isNamed = ({ path, oldPath }: DiffFile) => wanted.isNamed(path) || wanted.isNamed(oldPath);
  const left = { named: limits.namedDiffCharacters as number, other: limits.diffCharacters as number };
  const texts: string[] = [];
  const leftOut: DiffFile[] = [];
  for (const file of files) {
    const text = renderDiffText([file]);
    const room = isNamed(file) ? "named" : "other";
    if (text.length > left[room]) {
      leftOut.push(file);
      continue;
    }
    left[room] -= text.length;
    texts.push(text);
  }
  if (leftOut.length === 0) return { diff: texts.join("") };
  return {
    diff: texts.join(""),
    more: leftOut.length,
    leftOut: leftOut.slice(0, limits.namedInText).map(statLine),
    hint: leftOut.every(isNamed)
      ? "Read the file with read_file, by lines."
      : 'Name "paths": files and directories; a file that is named is shown to a greater length. "stat": true shows the numbers, page by page.',
  };
}

function statOf(files: readonly DiffFile[]): DiffResult {
  const more = files.length - limits.statusEntries;
  const diff = renderDiffStat(files, limits.statusEntries);
  return more > 0
    ? { diff, more, hint: `The next page: "after": ${JSON.stringify(files[limits.statusEntries - 1]?.path)}.` }
    : { diff };
}

/** What is staged is shown whether it is ignored or not. */
async function stagedPairs(
  commitId: string,
  commits: SessionCommits,
  wanted: WantedPaths,
): Promise<Result<ChangedPairs>> {
  const { staged, session } = commits;
  const commit = staged.find(commitId, session);
  if (commit === undefined) return notStaged(commitId, commits);
  const checked = await wanted.check(
    null,
    commit.files.map(({ path }) => path),
  );
  if (!checked.ok) return checked;
  const files = commit.files.filter(({ path }) => wanted.has(path));
  const pairs = files.map(({ path, before, after }) => ({
    path,
    before: sideOf(before, staged, session),
    after: sideOf(after, staged, session),
  }));
  return ok({ pairs, ignored: 0 });
}

function sideOf(state: FileState | null, staged: StagedStore, session: SessionId): FileSide | null {
  return state === null ? null : sideWith(state, staged.content(state.contentHash, session));
}
