// Prints what a push changes, for `review ID --diff` and `--json`.
// Invariant: raw bytes go only into a pipe or a file. On a terminal all output is made safe to display.

import type { PushAction, PushBase } from "../../action/action.ts";
import type { DiffFile } from "../../action/diff-file.ts";
import type { Question } from "../../approval/approver.ts";
import { renderDiff } from "../../git/publish/diff-text.ts";
import { displayText } from "../../shared/display.ts";
import type { PushedBytes } from "../../runtime/answer-service.ts";
import type { Json } from "../../shared/json.ts";
import type { OwnCommand } from "../../shared/own-command.ts";
import { allLines } from "../terminal/diff-view.ts";
import { exitCode } from "../exit-code.ts";
import { viewStyleOf } from "../terminal/view-style.ts";
import { fileEntries } from "./review-files.ts";
import type { Screen } from "../terminal/terminal.ts";

export async function printDiff(
  question: Question,
  answerService: PushedBytes,
  out: Screen,
  err: Screen,
  own: OwnCommand,
): Promise<number> {
  const { id, diff } = question;
  if (diff === undefined) {
    await err.line(`sallyport: ${displayText(id)} is not about a push, so there is no diff`);
    await err.line(`hint: \`${own("review", id)}\` shows the whole question.`);
    return exitCode.refused;
  }
  if (!out.isTerminal) {
    await out.write(renderDiff(diff));
    return exitCode.ok;
  }
  for (const entry of fileEntries([], diff, (file) => answerService.bytesAfter(question, file))) {
    for (const line of allLines(entry.rows(), viewStyleOf(out, process.stdout))) await out.line(line);
    await out.line();
  }
  return exitCode.ok;
}

export function pushJson(push: PushAction): Json {
  return {
    place: push.place,
    branch: push.branch,
    new_branch: push.isNewBranch,
    ...(push.newOn === undefined ? {} : { new_on: newOnJson(push.newOn) }),
    protected: push.isProtected,
    old_commit: push.oldCommit,
    commit: push.commit,
    message: push.message,
    author: push.author,
    ...(push.commits === undefined
      ? {}
      : { commits: push.commits.map(({ commit, message }) => ({ commit, message })) }),
    files: push.files.map(({ path, operation, size }) => ({ path, operation, size })),
    warnings: [...push.warnings],
  };
}

function newOnJson({ branch, commit, along }: PushBase): Json {
  return {
    branch,
    commit,
    along:
      along === null
        ? null
        : {
            missing_from: along.missingFrom,
            count: along.count,
            is_more: along.isMore,
            subjects: [...along.subjects],
          },
  };
}

/** What happens to the file, without its lines. */
export function diffFileJson(file: DiffFile): Json {
  return {
    path: file.path,
    operation: file.operation,
    ...(file.commit === undefined ? {} : { commit: file.commit.id }),
    ...(file.since === undefined ? {} : { since_last_push: file.since }),
    old_path: file.oldPath,
    old_mode: file.oldMode,
    new_mode: file.newMode,
    old_size: file.oldBytes,
    size: file.newBytes,
    similarity: file.similarity,
    binary: file.isBinary,
    too_large: file.isTooLarge,
    added: file.added,
    removed: file.removed,
    ...(file.warned === undefined ? {} : { warnings: [...file.warned] }),
  };
}
